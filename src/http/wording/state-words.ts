import type { AppToken } from '../../domain/tokens/app-tokens.ts';
import { isFromBefore } from '../../domain/tokens/resolve-token.ts';
import type { AppTokens } from '../../domain/tokens/tokens-of-account.ts';
import type { Footing } from './dates/lines.ts';
import { counted } from './words.ts';
import { type StateColour, STATE_COLOURS } from './state-colours.ts';

/** What the states of tokens are called on every page, so that owner and support speak of the same at the phone. */

type Counts = AppTokens['counts'];
type State = keyof Counts;

interface StateWords {
  label: string;
  meaning: string;
}

interface ColouredWords extends StateWords {
  /** The class of its badge. */
  kind: StateColour;
}

interface StateLine extends ColouredWords {
  /** How many, as `1 token`. */
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

/** What is not connected and is not answered by an old API either. */
const REFUSED: StateWords = {
  label: 'refused',
  meaning: 'Not connected to the new API. Connect the app, and the calls that the new API answers work.',
};

/** What the states mean otherwise after the sunset. */
const ENDED: Partial<typeof WORDS> = {
  reauthorization_required: {
    label: 'stopped',
    meaning: 'The connection has ended, and so has the old API.',
  },
  unmapped: { label: 'refused', meaning: 'It was never connected, and the old API has ended.' },
  active: { label: 'connected', meaning: 'Still connected, but the old API has ended.' },
};

type TokenFooting = Footing & { source?: AppToken['source'] };

function wordsOf(state: State, { phase, hasOldApi, source }: TokenFooting): StateWords {
  if (phase === 'ended') return ENDED[state] ?? WORDS[state];
  const isAnswered = hasOldApi && (source === undefined || isFromBefore({ source }));
  return state === 'unmapped' && !isAnswered ? REFUSED : WORDS[state];
}

/** A token in words, or without a source many: an old API answers those alone that it made itself. */
export function stateWords(state: State, footing: TokenFooting): ColouredWords {
  return { ...wordsOf(state, footing), kind: STATE_COLOURS[state] };
}

/** One line for each state that occurs; what asks for something to be done comes first. */
export function stateLines(counts: Counts, footing: Footing): StateLine[] {
  return (Object.keys(WORDS) as State[]).flatMap((state) => {
    const count = counts[state] ?? 0;
    return count === 0 ? [] : [{ ...stateWords(state, footing), tokens: tokenCount(count) }];
  });
}

/** `1 token`, `1,234 tokens`. */
export function tokenCount(count: number): string {
  return counted(count, 'token');
}
