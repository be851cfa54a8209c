import type { OldApiFacts } from '../../domain/lifecycle/old-api-status.ts';
import { type TokenFacts, type TokenStanding, standingOf } from '../../domain/tokens/standing/standing.ts';
import { standingWords } from '../../domain/tokens/standing/words.ts';
import type { AppTokens } from '../../domain/tokens/tokens-of-account.ts';
import { counted } from './words.ts';
import { type StateColour, STATE_COLOURS } from './colours.ts';

/** The standing of tokens as a badge: the label and the colour on every page. */

type Counts = AppTokens['counts'];
type State = keyof Counts;

/** A standing as a badge. */
export interface StandingBadge {
  label: string;
  /** The class of the badge. */
  kind: StateColour;
}

interface StateLine extends StandingBadge {
  /** How many tokens, as `1 token`. */
  tokens: string;
  meaning: string;
}

/** The badge of a token in a state. A brownout refuses connected tokens too, which must not look well then. */
export function badgeOf(standing: TokenStanding, state: State): StandingBadge {
  const kind = standing.is === 'interrupted' ? 'warning' : STATE_COLOURS[state];
  return { label: standingWords(standing).label, kind };
}

/** The tokens of one state that stand alike. */
interface TokenGroup {
  state: State;
  source: TokenFacts['source'];
  count: number;
}

/** Most tokens are older than the bridge, so that the old API knows them. */
const KNOWN_THERE: TokenFacts['source'] = 'imported';

/** The groups of one state: tokens that the old API never saw stand otherwise, while they are not connected. */
function groupsOf(state: State, count: number, unknownThere: number): TokenGroup[] {
  const apart = state === 'unmapped' ? unknownThere : 0;
  const groups: TokenGroup[] = [
    { state, source: 'registration', count: apart },
    { state, source: KNOWN_THERE, count: count - apart },
  ];
  return groups.filter((group) => group.count > 0);
}

function stateLine({ state, source, count }: TokenGroup, oldApi: OldApiFacts): StateLine {
  const standing = standingOf({ state, reason: null, source, oldApi });
  const { meaning } = standingWords(standing);
  return { ...badgeOf(standing, state), meaning, tokens: tokenCount(count) };
}

/** States that need an action come first. */
const ORDER: readonly State[] = ['reauthorization_required', 'unmapped', 'active', 'migrated', 'revoked'];

/** Without an old API all unconnected tokens stand alike, whoever made them. */
function linesOf(groups: readonly TokenGroup[], oldApi: OldApiFacts): StateLine[] {
  const lines = groups.map((group) => stateLine(group, oldApi));
  const areAlike = lines.every(({ meaning }) => meaning === lines[0]?.meaning);
  const [first] = groups;
  if (!first || !areAlike) return lines;
  const count = groups.reduce((sum, group) => sum + group.count, 0);
  return [stateLine({ ...first, count }, oldApi)];
}

/**
 * One line for each state that occurs; two where some unconnected tokens stand otherwise, because the old API never saw
 * them (`unknownThere` of `AppTokens`).
 */
export function stateLines(counts: Counts, oldApi: OldApiFacts, unknownThere = 0): StateLine[] {
  return ORDER.flatMap((state) => linesOf(groupsOf(state, counts[state] ?? 0, unknownThere), oldApi));
}

/** `1 token`, `1,234 tokens`. */
export function tokenCount(count: number): string {
  return counted(count, 'token');
}
