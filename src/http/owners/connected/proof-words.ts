import type { ChannelName, ConnectionProof } from '../../../domain/reads/prove-connection.ts';
import { SECOND } from '../../../shared/lifetimes.ts';
import { counted, type Sentence } from '../../wording/words.ts';

/** What a read with a connection showed, in words. */

export interface ProofWords {
  kind: 'ok' | 'warning';
  words: Sentence;
  /** The first channels. */
  channels: ChannelName[];
  /** How many channels are not named. */
  others: number;
  /** Whether it may help to read once more. */
  canTryAgain: boolean;
}

/** A read of this age is called new. An older one, which calls also get, stands with its time (docs/threats.md F198). */
const JUST_NOW = 15 * SECOND;

/** At most this many channels are named. */
const NAMED = 5;

type AnsweredProof = Extract<ConnectionProof, { channels: ChannelName[] }>;

function readWords({ is, channels, at }: AnsweredProof, now: number): Sentence {
  const what = counted(channels.length, 'channel');
  if (is === 'last known')
    return [
      'The new API gave no usable answer just now. When we last read, ',
      at,
      `, it named ${what}. Calls get that answer.`,
    ];
  if (now - at < JUST_NOW) return [`We just read ${what} of your account with this connection.`];
  return [`We read ${what} of your account with this connection, `, at, '.'];
}

const FAILED = {
  'no answer':
    'The app is connected. We could not read your channels yet, because the new API gave no usable answer. You need not do anything: calls work as soon as it answers.',
  'not covered':
    'The app is connected, but it may not read your account and channels, because that was not allowed on the account page. Calls for them are refused until you connect the app again and allow it.',
  ended:
    'The new API has just told us that the connection has ended, for example because it was revoked in the account settings. Calls are refused until you connect the app again.',
} as const;

/** The proof of a connection at this moment. */
export function proofWords(proof: ConnectionProof, now: number): ProofWords {
  const canTryAgain = proof.is === 'no answer' || proof.is === 'last known';
  if (!('channels' in proof))
    return { kind: 'warning', words: [FAILED[proof.is]], channels: [], others: 0, canTryAgain };
  return {
    kind: proof.is === 'read' ? 'ok' : 'warning',
    words: readWords(proof, now),
    channels: proof.channels.slice(0, NAMED),
    others: Math.max(0, proof.channels.length - NAMED),
    canTryAgain,
  };
}
