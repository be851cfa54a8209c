import type { ConnectionProof } from '../../../domain/reads/prove-connection.ts';
import { MINUTE } from '../../../shared/lifetimes.ts';
import { counted, type Sentence } from '../../wording/words.ts';

/** What a read with a connection showed, in words. */

export interface ProofWords {
  kind: 'ok' | 'warning';
  words: Sentence;
  /** Whether it may help to read once more. */
  canTryAgain: boolean;
}

/** At most this many channels are named. */
const NAMED = 5;

function channelsIn(channels: readonly string[]): string {
  if (channels.length === 0) return 'The account has no channel yet.';
  const named = channels.slice(0, NAMED).join(', ');
  const more = channels.length - NAMED;
  return more > 0 ? `${named} and ${more} more.` : `${named}.`;
}

type AnsweredProof = Extract<ConnectionProof, { channels: string[] }>;

function readWords({ is, channels, at }: AnsweredProof, now: number): Sentence {
  const what = counted(channels.length, 'channel');
  const names = channelsIn(channels);
  if (is === 'last known')
    return [
      `The new API does not answer now. At the last read, `,
      at,
      `, it told us ${what}: ${names} Calls get that answer until it is back.`,
    ];
  if (now - at < MINUTE) return [`We just read ${what} of your account with this connection: ${names}`];
  return [`We read ${what} of your account with this connection, `, at, `: ${names}`];
}

const FAILED = {
  'no answer':
    'The connection is kept, but we could not read your channels yet: the new API does not answer now. You need not do anything. Calls work as soon as it answers.',
  'not covered':
    'The connection is kept, but it may not read your account and channels, because that was not allowed on the account page. Calls for them are refused until you connect the app again and allow it.',
  ended:
    'The new API has just told us that the connection has ended, for example because it was taken back in the account settings. Calls are refused until you connect the app again.',
} as const;

/** The proof of a connection at this moment. */
export function proofWords(proof: ConnectionProof, now: number): ProofWords {
  const canTryAgain = proof.is === 'no answer' || proof.is === 'last known';
  if ('channels' in proof)
    return { kind: proof.is === 'read' ? 'ok' : 'warning', words: readWords(proof, now), canTryAgain };
  return { kind: 'warning', words: [FAILED[proof.is]], canTryAgain };
}
