import type { OldApiFacts } from '../../domain/lifecycle/old-api-status.ts';
import { type TokenStanding, standingOf } from '../../domain/tokens/standing/standing.ts';
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

/** Many tokens of one state stand as one that the old API knows: most tokens are older than the bridge. */
function stateLine(state: State, count: number, oldApi: OldApiFacts): StateLine {
  const standing = standingOf({ state, reason: null, source: 'imported', oldApi });
  const { meaning } = standingWords(standing);
  return { ...badgeOf(standing, state), meaning, tokens: tokenCount(count) };
}

/** States that need an action come first. */
const ORDER: readonly State[] = ['reauthorization_required', 'unmapped', 'active', 'migrated', 'revoked'];

/** One line for each state that occurs. */
export function stateLines(counts: Counts, oldApi: OldApiFacts): StateLine[] {
  return ORDER.flatMap((state) => {
    const count = counts[state] ?? 0;
    return count === 0 ? [] : [stateLine(state, count, oldApi)];
  });
}

/** `1 token`, `1,234 tokens`. */
export function tokenCount(count: number): string {
  return counted(count, 'token');
}
