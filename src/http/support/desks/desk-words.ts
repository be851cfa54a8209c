import type { Desk, DeskSort, DeskTab } from '../../../domain/support/desks.ts';
import { DAY, MINUTE } from '../../../shared/lifetimes.ts';
import { capital } from '../../../shared/words.ts';

/** What staff read about the desks and their rows: pure functions of a row and one moment. */

export interface DeskWords {
  title: string;
  /** What this desk lists. */
  about: string;
  /** The text of an empty desk. */
  empty: string;
  /** What its search box takes, if not `FINDS`. */
  finds?: string;
  /** Its orders, where they have other names than on other desks. */
  sorts?: Partial<Record<DeskSort, string>>;
}

/** What the search box of a desk takes. */
export const FINDS = 'Find by app, or by three letters or more of a name or address';

export const DESK_TAB_LABELS: Readonly<Record<DeskTab, string>> = {
  all: 'All',
  doubt: 'In doubt',
  sent: 'Sent, no answer yet',
  address: 'By address',
  'old-id': 'By old user id',
  refused: 'Refused already',
  dated: 'Before their date',
  undated: 'Without a date',
  ended: 'Too late to connect',
  ahead: 'Still ahead',
  over: 'Over',
};

export const DESK_SORT_LABELS: Readonly<Record<DeskSort, string>> = {
  urgent: 'most urgent first',
  last: 'last to end first',
  newest: 'newest first',
  oldest: 'oldest first',
  most: 'most tokens first',
  fewest: 'fewest tokens first',
  people: 'most people first',
};

/** The desks in words. */
export const DESK_WORDS: Record<Desk, DeskWords> = {
  'in-doubt': {
    title: 'Connections in doubt',
    about:
      'Connections whose renewal was sent and got no usable answer, or which come from a restored backup while the original may have renewed them. So nobody knows which refresh token counts. The bridge settles this by itself; calls are answered as long as the present access token lives.',
    empty: 'Good news: no connection is in doubt now.',
  },
  'died-today': {
    title: 'Connections that ended today',
    about: 'Connections that ended since midnight, whose tokens stopped. The days before are listed too.',
    empty: 'Good news: no token stopped since midnight. The days before are listed too.',
  },
  undeliverable: {
    title: 'Mails that reached nobody',
    about: 'Reminders that could not be delivered, and that nobody has dealt with yet.',
    empty: 'Good news: every reminder reached somebody, or was dealt with.',
  },
  'no-account': {
    title: 'Tokens without an account',
    about:
      'Tokens that are known by an e-mail address or an old user id alone. They cannot be connected before the account is known.',
    empty: 'Good news: every token that came with an address or an old user id has its account.',
    finds: 'Find by a part of an address or old user id',
  },
  'hand-overs': {
    title: 'Hand-overs to be confirmed',
    about:
      'Apps that have taken connections over and have not confirmed yet that they stored the new tokens. Until they confirm, and for seven days at most, a copy is kept here, so that they can ask once more.',
    empty: 'Good news: every hand-over of the last seven days was confirmed.',
    sorts: { urgent: 'soonest erased first' },
  },
  waiting: {
    title: 'Apps with people who wait',
    about:
      'Apps whose users have tokens that are not connected. Those whose calls are refused already come first, then those whose date is nearest. This is counted every hour.',
    empty: 'Good news: nobody waits. This is counted every hour; after an import it takes a while to show.',
  },
  extensions: {
    title: 'Extensions that end',
    about:
      'Apps that were given more time which ends within 30 days, and those whose time ended within the last 30 days.',
    empty: 'Good news: no extension ends within 30 days, and none ended within the last 30 days.',
  },
  unproven: {
    title: 'Tokens without a proven app',
    about:
      'An earlier version connected these tokens because a call named an app, or had the user agent of a connected program. They work on, each for itself. Ask the account holder which program uses the token.',
    empty: 'Good news: the app of every connected token is proven.',
  },
};

const UNITS = [
  { name: 'day', ms: DAY },
  { name: 'hour', ms: 60 * MINUTE },
  { name: 'minute', ms: MINUTE },
] as const;

/** A duration in its largest unit: `43 minutes`, `3 days`, `less than a minute`. */
function distance(ms: number): string {
  const unit = UNITS.find((one) => ms >= one.ms);
  if (!unit) return 'less than a minute';
  const count = Math.floor(ms / unit.ms);
  return `${count} ${unit.name}${count === 1 ? '' : 's'}`;
}

/** How far a time is from now: `in 43 minutes`, `2 hours ago`. */
export function distanceWords(at: number, now: number): string {
  return at > now ? `in ${distance(at - now)}` : `${distance(now - at)} ago`;
}

/** `3 tokens`. */
export function pluralWords(count: number, one: string, many = `${one}s`): string {
  return `${new Intl.NumberFormat('en-GB').format(count)} ${count === 1 ? one : many}`;
}

interface GrantInDoubt {
  state: string;
  access_expires_at: number;
  quietUntil: number;
  has_sibling: number;
  /** Null while the app lives. */
  app_retired_at: number | null;
}

/** Under which condition a token pair in doubt is presented again (docs/decisions/0005). */
function condition({ has_sibling: hasSibling }: GrantInDoubt): string {
  return hasSibling
    ? 'but only if the new API says that it is still valid: a used one would end another connection of this account too'
    : 'unless the new API says that it is not valid any more';
}

/** The next steps for a grant in doubt, in a sentence or two. */
export function doubtFate(doubt: GrantInDoubt, now: number): string {
  const { access_expires_at: expiresAt, quietUntil, state } = doubt;
  if (state === 'presenting')
    return 'The process that sent the refresh has not come back; another one marks it as in doubt within a minute.';
  const again = `the refresh token is presented once more, ${condition(doubt)}.`;
  if (doubt.app_retired_at !== null)
    return `The app is retired, so its calls are refused. Once the access token has ended, ${again}`;
  const then = `${again} If that fails, the holder is asked to connect again.`;
  if (expiresAt > now) return `Calls are answered until then. After it ${then}`;
  return quietUntil > now
    ? `Calls get the last known answer or 503. ${capital(distanceWords(quietUntil, now))} ${then}`
    : `Calls get the last known answer or 503. Any moment now ${then}`;
}
