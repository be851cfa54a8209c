import type { MappingSource } from '../../../store/tables/tables.ts';
import { capital } from '../../../shared/words.ts';
import { whyTokenEnded } from './ends.ts';
import type { TokenConnection, TokenStanding } from './standing.ts';
import { ENDED_TOO, standingWords } from './words.ts';

/** What the holder of a token, or the owner of its app, is told of the token in their lists. */

/** The reader, and what the reader is told beside the standing. */
export interface PersonFacts {
  /** Whether the reader is the holder of the token. */
  isOwn: boolean;
  source: MappingSource;
  account_id: string | null;
  /** Whether the token waits for an e-mail address that has still to be proven. */
  isExpected: boolean;
  /** Whether the old API can be asked whose token it is. */
  hasOldApi: boolean;
}

/**
 * A reason that support wrote is for the holder alone, as support's form says. The owner of the app does not see it.
 */
function endWords(reason: string | null, isOwn: boolean): string | undefined {
  const why = whyTokenEnded(reason);
  if (why !== undefined) return `${capital(why)}.`;
  return isOwn && reason !== null ? `The reason given is: ${reason}` : undefined;
}

/** Who has to act while a token waits for its first consent. */
function waitingReason({ account_id: accountId, isExpected, isOwn, source, hasOldApi }: PersonFacts): string {
  if (isOwn && source === 'registration') return 'It was made for you with the app. Connect the app once.';
  if (isOwn) return 'You have not connected the app to the new API yet.';
  if (accountId !== null) return 'Its holder has not connected the app to the new API yet.';
  if (isExpected) return 'Its holder is known by a mail address alone and has not signed in here yet.';
  return hasOldApi
    ? 'Nobody has shown yet whose it is. Its holder can paste it under “Your apps”.'
    : 'Nobody has shown yet whose it is. Support can find out: write to it, without the token itself.';
}

/** Why a token has stopped, and who can connect it again, in a sentence or two. */
export function stoppedReason(
  { reason, hasEnded }: { reason: string | null; hasEnded: boolean },
  isOwn: boolean,
): string {
  const why = endWords(reason, isOwn) ?? 'The connection has ended.';
  if (hasEnded) return `${why} ${ENDED_TOO}`;
  return `${why} ${isOwn ? 'Connect again.' : 'Its holder has to connect again.'}`;
}

const STRANDED = 'Its connection cannot be renewed, because a setting of this service was changed';
const UNANSWERED = 'Calls that the new API answers get the last known answer or are refused meanwhile';
const TO_SUPPORT = 'Write to support, without the token itself.';

const CONNECTIONS: Partial<Record<TokenConnection, string>> = {
  'in doubt':
    'Whether the connection can be renewed is not certain. It works on meanwhile; this is tried again.',
  'in doubt, expired': `Whether the connection can be renewed is not certain, and what it gave last has expired. ${UNANSWERED}; this is tried again.`,
  suspect: `The new API refused what the connection gave last. ${UNANSWERED}; this is tried again.`,
  stranded: `${STRANDED}. It works on for now. ${TO_SUPPORT}`,
  'stranded, expired': `${STRANDED}, and what it gave last has expired. ${UNANSWERED}. ${TO_SUPPORT}`,
  'resting, expired': `What the connection gave last has expired and could not be renewed yet. ${UNANSWERED}; this is tried again.`,
  missing: `Its connection cannot be found. ${TO_SUPPORT}`,
};

/** Why a token has ended, or its connection; undefined where it has not, or where nobody may be told why. */
function endReason(standing: TokenStanding, isOwn: boolean): string | undefined {
  if (standing.is === 'revoked') return endWords(standing.reason, isOwn);
  if (standing.is === 'stopped') return stoppedReason({ reason: standing.reason, hasEnded: false }, isOwn);
  if (standing.is !== 'ended' || standing.was !== 'stopped') return undefined;
  return stoppedReason({ reason: standing.reason, hasEnded: true }, isOwn);
}

/** Why a token is in its standing, in a sentence or two. */
export function personReason(standing: TokenStanding, facts: PersonFacts): string {
  const { meaning } = standingWords(standing);
  const { is } = standing;
  if (is === 'served') return CONNECTIONS[standing.connection] ?? 'Connected. Its calls are answered.';
  if (is === 'passed' || is === 'refused') return waitingReason(facts);
  if (is === 'interrupted') return standing.isConnected ? meaning : `${waitingReason(facts)} ${meaning}`;
  return endReason(standing, facts.isOwn) ?? meaning;
}
