import type { AppToken } from '../../domain/tokens/app-tokens.ts';
import type { OldApiStatus } from './dates/lines.ts';
import { capital } from './words.ts';
import { whyTokenEnded } from './ends.ts';
import type { StateColour } from './state-colours.ts';
import { stateWords } from './state-words.ts';

/** One token in words, for its holder or for the owner of its app. */

/** What the words depend on. */
export interface TokenFacts
  extends OldApiStatus,
    Pick<AppToken, 'state' | 'reason' | 'source' | 'grant_state' | 'account_id' | 'isExpected'> {
  /** Whether the reader is the holder of the token. */
  isOwn: boolean;
}

interface TokenWords {
  label: string;
  /** The class of the badge. */
  kind: StateColour;
  /** Why the token is in its state, in one sentence. */
  reason: string;
}

/**
 * A reason that support wrote is for the holder alone, as support's form says. The owner of the app does not see it.
 */
function endWords({ reason, isOwn }: Pick<TokenFacts, 'reason' | 'isOwn'>): string | undefined {
  const why = whyTokenEnded(reason);
  if (why !== undefined) return `${capital(why)}.`;
  return isOwn && reason !== null ? `The reason given is: ${reason}` : undefined;
}

/** Who has to act while a token waits for its first consent. */
function waitingReason({ account_id: accountId, isExpected, isOwn, source, hasOldApi }: TokenFacts): string {
  if (isOwn && source === 'registration') return 'It was made for you with the app. Connect the app once.';
  if (isOwn) return 'You have not connected the app to the new API yet.';
  if (accountId !== null) return 'Its holder has not connected the app to the new API yet.';
  if (isExpected) return 'Its holder is known by a mail address alone and has not signed in here yet.';
  return hasOldApi
    ? 'Nobody has shown yet whose it is. Its holder can paste it under “Your apps”.'
    : 'Nobody has shown yet whose it is. Support can find out: write to it, without the token itself.';
}

const IN_DOUBT = 'The new API did not answer a renewal clearly. It works on meanwhile; this is tried again.';

/** Why a token has stopped, and who can connect it again, in a sentence or two. */
export function stoppedReason(facts: Pick<TokenFacts, 'reason' | 'isOwn' | 'phase'>): string {
  const why = endWords(facts) ?? 'The connection has ended.';
  if (facts.phase === 'ended') return `${why} The old API has ended too.`;
  return `${why} ${facts.isOwn ? 'Connect again.' : 'Its holder has to connect again.'}`;
}

/** Undefined where the meaning of the state says everything. */
function reasonOf(facts: TokenFacts): string | undefined {
  const { state, phase, grant_state: grant } = facts;
  if (state === 'reauthorization_required') return stoppedReason(facts);
  if (state === 'revoked') return endWords(facts);
  if (state === 'migrated' || phase === 'ended') return undefined;
  if (state === 'unmapped') return waitingReason(facts);
  return grant === 'in_doubt' ? IN_DOUBT : 'Connected. Its calls are answered.';
}

/** The state and the reason of a token. */
export function tokenWords(facts: TokenFacts): TokenWords {
  const { label, kind, meaning } = stateWords(facts.state, facts);
  return { label, kind, reason: reasonOf(facts) ?? meaning };
}

const SOURCES: Record<AppToken['source'], string> = {
  issued: 'issued',
  imported: 'imported',
  observed: 'seen in use',
  registration: 'from the registration',
};

/** Where the token comes from. */
export function sourceWords(source: AppToken['source']): string {
  return SOURCES[source];
}

type TokenOrigin = Pick<AppToken, 'source' | 'client_id' | 'claimed_client_id' | 'app_proven'>;

/**
 * Where the token comes from, on the page of an app. Some tokens belong to the app only by the claim of their calls.
 */
export function originWords({ source, ...token }: TokenOrigin): string {
  const isClaim = token.claimed_client_id === token.client_id && token.app_proven === 0;
  return isClaim ? `${sourceWords(source)}; only its calls name this app` : sourceWords(source);
}

/** Enough to recognise the token: `1/abcd…wxyz`. */
export function hintWords({
  hint_first: first,
  hint_last: last,
}: Pick<AppToken, 'hint_first' | 'hint_last'>) {
  return first === null || last === null ? undefined : `1/${first}…${last}`;
}

/**
 * The holder of a token, for the owner of its app. The owner never sees the mail address of another person, and some
 * accounts have a mail address as their name.
 */
export function holderWords(
  { account_id: id, account_name: name }: Pick<AppToken, 'account_id' | 'account_name'>,
  reader: string,
): string {
  if (id === null) return 'not known yet';
  if (id === reader) return 'you';
  const shown = name?.trim() ?? '';
  return shown === '' || shown.includes('@') ? 'an account without a name' : shown;
}
