import type { AppToken } from '../../domain/tokens/app-tokens.ts';
import { isFromBefore } from '../../domain/tokens/resolve-token.ts';
import type { AppTokens } from '../../domain/tokens/tokens-of-account.ts';
import type { OldApiStatus } from './dates/lines.ts';
import { counted } from './words.ts';
import { type StateColour, STATE_COLOURS } from './state-colours.ts';

/** The names of token states on every page, so that owner and support use the same words at the phone. */

type Counts = AppTokens['counts'];
type State = keyof Counts;

interface StateWords {
  label: string;
  meaning: string;
}

interface ColouredWords extends StateWords {
  /** The class of the badge. */
  kind: StateColour;
}

interface StateLine extends ColouredWords {
  /** How many tokens, as `1 token`. */
  tokens: string;
}

const WORDS: Record<State, StateWords> = {
  reauthorization_required: {
    label: 'stopped',
    meaning:
      'The connection has ended, so calls are refused. Connect again, and the calls that the new API answers work.',
  },
  unmapped: {
    label: 'waiting',
    meaning: 'Not connected to the new API yet.',
  },
  active: { label: 'working', meaning: 'Calls are answered.' },
  migrated: { label: 'moved', meaning: 'The app has moved to the new API and does not need it.' },
  revoked: { label: 'revoked', meaning: 'Ended for good. It cannot be connected again.' },
};

/** A token that is not connected and that no old API answers. */
const REFUSED: StateWords = {
  label: 'refused',
  meaning: 'Not connected to the new API. Connect the app, and the calls that the new API answers work.',
};

/** The words for states that mean something else after the sunset. */
const ENDED: Partial<typeof WORDS> = {
  reauthorization_required: {
    label: 'stopped',
    meaning: 'The connection has ended, and so has the old API.',
  },
  unmapped: { label: 'refused', meaning: 'It was never connected, and the old API has ended.' },
  active: { label: 'connected', meaning: 'Still connected, but the old API has ended.' },
};

type StateWordsInput = OldApiStatus & { source?: AppToken['source'] };

function wordsOf(state: State, { phase, hasOldApi, source }: StateWordsInput): StateWords {
  if (phase === 'ended') return ENDED[state] ?? WORDS[state];
  const isAnswered = hasOldApi && (source === undefined || isFromBefore({ source }));
  return state === 'unmapped' && !isAnswered ? REFUSED : WORDS[state];
}

/**
 * The state of one token in words; without `source`, the state of many tokens. An old API answers only the tokens that
 * it made itself.
 */
export function stateWords(state: State, footing: StateWordsInput): ColouredWords {
  return { ...wordsOf(state, footing), kind: STATE_COLOURS[state] };
}

/** One line for each state that occurs. States that need an action come first. */
export function stateLines(counts: Counts, footing: OldApiStatus): StateLine[] {
  return (Object.keys(WORDS) as State[]).flatMap((state) => {
    const count = counts[state] ?? 0;
    return count === 0 ? [] : [{ ...stateWords(state, footing), tokens: tokenCount(count) }];
  });
}

/** `1 token`, `1,234 tokens`. */
export function tokenCount(count: number): string {
  return counted(count, 'token');
}
