import type { AppThatWaits } from '../../../domain/support/describe-account.ts';
import type { AppTokens } from '../../../domain/tokens/tokens-of-account.ts';
import { counted, type Sentence } from '../../wording/words.ts';

/** How an account stands, in one sentence: pure functions. */

interface AccountFacts {
  /** The apps with a waiting token that a consent would connect. */
  waiting: readonly AppThatWaits[];
  apps: readonly AppTokens[];
  /** Those of the apps for which the old API has ended. */
  ended: readonly AppTokens[];
}

const have = (count: number) => (count === 1 ? 'has' : 'have');

function stoppedWords(stopped: readonly AppThatWaits[]): Sentence {
  const at = Math.max(...stopped.map(({ stoppedAt = 0 }) => stoppedAt));
  if (stopped.length === 0) return [];
  const last = stopped.length === 1 ? ', ' : ', the last one ';
  return [`${counted(stopped.length, 'app')} ${have(stopped.length)} stopped${last}`, at];
}

function joined(parts: readonly Sentence[]): Sentence {
  return parts.filter((part) => part.length > 0).flatMap((part, at) => (at === 0 ? part : ['; ', ...part]));
}

const connectedOf = ({ counts }: AppTokens) => counts.active ?? 0;

function endedWords(count: number): Sentence {
  if (count === 0) return [];
  const [are, them] = count === 1 ? ['is', 'it'] : ['are', 'them'];
  return [`${counted(count, 'app')} ${are} refused, because the old API has ended for ${them}`];
}

/** What one link does. Of an unidentified program nobody knows which tokens belong together. */
function linkWords(waiting: readonly AppThatWaits[]): string {
  const programs = waiting.filter(({ isUnidentified }) => isUnidentified).length;
  if (programs === 0) return '. One link connects all tokens of an app.';
  if (programs === waiting.length)
    return '. One link connects each token of an unidentified program that its holder chooses.';
  return '. One link connects all tokens of an app, but of an unidentified program each token that its holder chooses.';
}

function todoWords(waiting: readonly AppThatWaits[], ended: number): string {
  if (waiting.length > 0) return linkWords(waiting);
  if (ended === 0) return '. Nothing to do.';
  const [them, they] = ended === 1 ? ['it', 'it has'] : ['them', 'they have'];
  return `. Connecting ${them} again would not help: ${they} to use the new API.`;
}

/** The first thing that support reads of an account. */
export function accountSentence({ waiting, apps, ended }: AccountFacts): Sentence {
  if (apps.length === 0) return ['No token is known to be of this account, those of retired apps aside.'];
  const stopped = waiting.filter(({ stoppedAt }) => stoppedAt !== undefined);
  const fresh = waiting.length - stopped.length;
  const working = apps.filter((app) => connectedOf(app) > 0 && !ended.includes(app)).length;
  const refused = ended.filter(({ alive }) => alive > 0).length;
  const parts: Sentence[] = [
    stoppedWords(stopped),
    fresh === 0 ? [] : [`${counted(fresh, 'app')} ${fresh === 1 ? 'waits' : 'wait'} to be connected`],
    working === 0 ? [] : [`${counted(working, 'app')} ${working === 1 ? 'is' : 'are'} connected`],
    endedWords(refused),
  ];
  const words = joined(parts);
  if (words.length === 0) return ['Its tokens have moved or were revoked.'];
  return [...words, todoWords(waiting, refused)];
}
