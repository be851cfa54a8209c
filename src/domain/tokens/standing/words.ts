import type { MappingState } from '../../../store/tables/tables.ts';
import type { TokenStanding } from './standing.ts';

/** The words for each standing that all readers share: callers, people, support, mails and commands. */

interface StandingWords {
  /** Of a badge: one of the words of docs/glossary.md, or what interrupts the calls. */
  label: string;
  /** A clause about the token or its app that follows its subject: `It …`, `“App” …`. */
  headline: string;
  /** What it means, as a sentence about one token or about many. */
  meaning: string;
}

/** An ended token reads otherwise for what it was before the end. */
type EndedStanding = Extract<TokenStanding, { is: 'ended' }>;
type WordsKey = Exclude<TokenStanding['is'], 'ended'> | `ended ${EndedStanding['was']}`;

export const STANDING_WORDS: Readonly<Record<WordsKey, StandingWords>> = {
  served: { label: 'connected', headline: 'works', meaning: 'Calls are answered.' },
  passed: {
    label: 'waiting',
    headline: 'is not connected to the new API yet',
    meaning: 'Not connected to the new API yet. The old API answers its calls meanwhile.',
  },
  interrupted: {
    label: 'interrupted',
    headline: 'is refused by a short test outage (brownout)',
    meaning: 'A short test outage (brownout) refuses its calls; they are answered as before after it.',
  },
  refused: {
    label: 'waiting',
    headline: 'is refused now',
    meaning:
      'Not connected to the new API. Connect the app, and its calls work; only changing posting times may be refused.',
  },
  stopped: {
    label: 'stopped',
    headline: 'has stopped working',
    meaning:
      'The connection has ended, so calls are refused. Connect again, and its calls work; only changing posting times may be refused.',
  },
  'ended connected': {
    label: 'connected',
    headline: 'is still connected, but the old API has ended',
    meaning: 'Still connected, but the old API has ended.',
  },
  'ended unconnected': {
    label: 'waiting',
    headline: 'was never connected to the new API, and the old API has ended',
    meaning: 'It was never connected to the new API, and the old API has ended.',
  },
  'ended stopped': {
    label: 'stopped',
    headline: 'has stopped working, and the old API has ended too',
    meaning: 'The connection has ended, and the old API has ended too.',
  },
  revoked: {
    label: 'revoked',
    headline: 'was revoked',
    meaning: 'Ended for good. It cannot be connected again.',
  },
  moved: {
    label: 'moved',
    headline: 'has moved to the new API with its app',
    meaning: 'The app has moved to the new API and does not need it.',
  },
  orphaned: {
    label: 'stopped',
    headline: 'is refused, because its app was retired',
    meaning: 'The app was retired, so every call is refused.',
  },
};

/** Beside the reason of an end that came before the sunset. */
export const ENDED_TOO = 'The old API has ended too.';

/** The next step once the old API has ended for an app. */
export const TOO_LATE =
  'The old API has ended for this app: connecting again would not help, and the app has to use the new API.';

/** The words for a standing. */
export function standingWords(standing: TokenStanding): StandingWords {
  const key: WordsKey = standing.is === 'ended' ? `ended ${standing.was}` : standing.is;
  return STANDING_WORDS[key];
}

/** The standing as a sentence: `It works.` */
export function standingSentence(standing: TokenStanding): string {
  return `It ${standingWords(standing).headline}.`;
}

/** Why nothing was done with a token that has ended. Staff may take a revocation back, so it is not called final. */
export const stoppedForGoodWords = (state: MappingState): string =>
  state === 'revoked'
    ? 'The token is revoked. Nothing was changed.'
    : `The token is ${state}. This state is final. Nothing was changed.`;
