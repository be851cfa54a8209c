import type { AppToken } from '../../domain/app-tokens.ts';
import type { AppTokens } from '../../domain/tokens-of-account.ts';
import type { Phase } from '../dates/lines.ts';
import { numberWords } from '../people/words.ts';

/** What the states of tokens are called on every page, so that owner and support speak of the same at the phone. */

type Counts = AppTokens['counts'];
type State = keyof Counts;

/** What the name of a state depends on beside the state. */
interface World {
  phase: Phase;
  /** Whether an old API is there that answers what is not connected until the retirement. */
  hasOldApi: boolean;
}

interface StateWords {
  label: string;
  meaning: string;
  /** The class of its badge. */
  kind: 'ok' | 'warning' | '';
}

interface StateLine extends StateWords {
  /** How many, as `1 token`. */
  tokens: string;
}

const WORDS: Record<State, StateWords> = {
  reauthorization_required: {
    label: 'stopped',
    meaning: 'The connection has ended, so calls are refused. Connect again and they work.',
    kind: 'warning',
  },
  unmapped: {
    label: 'waiting',
    meaning: 'Not connected to the new API yet.',
    kind: 'warning',
  },
  active: { label: 'working', meaning: 'Calls are answered.', kind: 'ok' },
  migrated: { label: 'moved', meaning: 'The app has moved to the new API and does not need it.', kind: '' },
  revoked: { label: 'revoked', meaning: 'Ended for good. It cannot be connected again.', kind: '' },
};

/** What the states mean otherwise once a date has passed. */
const LATER: Record<Phase, Partial<typeof WORDS>> = {
  before: {},
  retired: {
    unmapped: {
      label: 'refused',
      meaning: 'Not connected to the new API. Connect the app and its calls are answered again.',
      kind: 'warning',
    },
  },
  ended: {
    reauthorization_required: {
      label: 'stopped',
      meaning: 'The connection has ended, and so has the old API.',
      kind: '',
    },
    unmapped: { label: 'refused', meaning: 'It was never connected, and the old API has ended.', kind: '' },
    active: { label: 'connected', meaning: 'Still connected, but the old API has ended.', kind: '' },
  },
};

/** A token in words; what the bridge made at a registration the old API never knew, so nobody answers it before. */
export function stateWords(
  state: State,
  { phase, hasOldApi, source }: World & { source?: AppToken['source'] },
): StateWords {
  const isAnswered = hasOldApi && source !== 'registration';
  return LATER[phase === 'before' && !isAnswered ? 'retired' : phase][state] ?? WORDS[state];
}

/** One line for each state that occurs; what asks for something to be done comes first. */
export function stateLines(counts: Counts, world: World): StateLine[] {
  return (Object.keys(WORDS) as State[]).flatMap((state) => {
    const count = counts[state] ?? 0;
    return count === 0 ? [] : [{ ...stateWords(state, world), tokens: tokenCount(count) }];
  });
}

/** `1 token`, `1,234 tokens`. */
export function tokenCount(count: number): string {
  return `${numberWords(count)} ${count === 1 ? 'token' : 'tokens'}`;
}
