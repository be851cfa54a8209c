import type { OldCallName } from '../../domain/old-calls/old-calls.ts';
import type { ENDS } from '../../domain/tokens/standing/ends.ts';
import type { AppTokens } from '../../domain/tokens/tokens-of-account.ts';

/**
 * The one list of colours by meaning: what a colour stands for in every chart, legend and badge. In one chart no two
 * things share a colour. The values for light and dark screens are in charts.css; each has one texture for bars and one
 * dash for lines (bars.ts, charts.css).
 */

export type Colour =
  | 'accent'
  | 'second'
  | 'third'
  | 'fourth'
  | 'fifth'
  | 'ok'
  | 'warning'
  | 'danger'
  | 'muted';

/** The colours that a badge has too. */
export type StateColour = Extract<Colour, 'accent' | 'ok' | 'warning' | 'muted'>;

/** Charts count stopped tokens as waiting tokens: both wait for their holder. */
export const STATE_COLOURS: Readonly<Record<keyof AppTokens['counts'], StateColour>> = {
  migrated: 'accent',
  active: 'ok',
  unmapped: 'warning',
  reauthorization_required: 'warning',
  revoked: 'muted',
};

/** Ends of moved tokens have the colour of moved tokens. Ends by a new connection have the colour of connected tokens. */
export const END_COLOURS: Readonly<Record<keyof typeof ENDS, Colour>> = {
  refused: 'danger',
  lost: 'warning',
  superseded: 'second',
  deauthorized: 'muted',
  replaced: STATE_COLOURS.active,
  unfinished: 'third',
  handed_over: STATE_COLOURS.migrated,
};

/** The calls of the old API by what they are about, in the order of a legend. */
export const CALL_COLOURS = {
  Account: 'second',
  Profiles: 'third',
  'Posts: read': 'fourth',
  'Posts: write': 'fifth',
  'All others': 'muted',
} as const satisfies Record<string, Colour>;

export type CallTopic = keyof typeof CALL_COLOURS;

/** What each call is about. A call that is not named here is among all others. */
export const CALL_TOPICS: Readonly<Partial<Record<OldCallName, CallTopic>>> = {
  user: 'Account',
  deauthorize: 'Account',
  profiles: 'Profiles',
  profile: 'Profiles',
  schedules: 'Profiles',
  updateSchedules: 'Profiles',
  pendingUpdates: 'Posts: read',
  sentUpdates: 'Posts: read',
  update: 'Posts: read',
  interactions: 'Posts: read',
  reorderUpdates: 'Posts: write',
  shuffleUpdates: 'Posts: write',
  createUpdate: 'Posts: write',
  changeUpdate: 'Posts: write',
  shareUpdate: 'Posts: write',
  destroyUpdate: 'Posts: write',
  moveUpdateToTop: 'Posts: write',
};

/** The parts of a call that carry the token, as usage stores them; any other part is muted. */
export const CARRIER_COLOURS: ReadonlyMap<string, Colour> = new Map([
  ['header', 'third'],
  ['query', 'fifth'],
  ['body', 'fourth'],
]);
