import type { AppToken } from '../../domain/app-tokens.ts';
import type { Phase } from '../dates/lines.ts';

/** One token in words, for its holder or for the owner of its app. */

/** What the words depend on. */
export interface TokenFacts
  extends Pick<AppToken, 'state' | 'reason' | 'source' | 'grant_state' | 'account_id' | 'isExpected'> {
  /** Whether the reader is its holder. */
  isOwn: boolean;
  phase: Phase;
  /** Whether the old API can still be asked whose a token is. */
  hasOldApi: boolean;
}

interface TokenWords {
  label: string;
  /** The class of the badge. */
  kind: 'ok' | 'warning' | '';
  /** Why it is so, in one sentence. */
  reason: string;
}

/** Why a connection ended, by what the mapping keeps of it; other words are those of whoever did it, for the holder alone. */
const STOPPED: Readonly<Record<string, string>> = {
  grant_refused:
    'The new API ended the connection: it was revoked in the account settings, or not used for too long.',
  grant_lost: 'An answer of the new API was lost on the way, and with it the connection.',
  grant_superseded: 'The connection went on elsewhere after a backup of this service was restored.',
};

const REVOKED: Readonly<Record<string, string>> = {
  deauthorized: 'The account holder or the app ended the access.',
  code_replayed: 'The code that it was made from was used twice, so it was ended for safety.',
};

function spoken(known: Readonly<Record<string, string>>, { reason, isOwn }: TokenFacts): string | undefined {
  if (reason === null) return undefined;
  const sentence = Object.hasOwn(known, reason) ? known[reason] : undefined;
  return sentence ?? (isOwn ? `The reason given is: ${reason}` : undefined);
}

/** Whose turn it is while a token waits for its first consent. */
function waitingReason({ account_id: accountId, isExpected, isOwn, source, hasOldApi }: TokenFacts): string {
  if (isOwn && source === 'registration') return 'It was made for you with the app. Connect the app once.';
  if (isOwn) return 'You have not connected the app to the new API yet.';
  if (accountId !== null) return 'Its holder has not connected the app to the new API yet.';
  if (isExpected) return 'Its holder is known by a mail address alone and has not signed in here yet.';
  return hasOldApi
    ? 'Nobody has shown yet whose it is. Its holder can paste it under “Your apps”.'
    : 'Nobody has shown yet whose it is. Support can find out: write to it, without the token itself.';
}

function unmapped(facts: TokenFacts): TokenWords {
  if (facts.phase === 'ended')
    return { label: 'refused', kind: '', reason: 'It was never connected, and the old API has ended.' };
  const label = facts.phase === 'before' ? 'waiting' : 'refused';
  return { label, kind: 'warning', reason: waitingReason(facts) };
}

function active({ phase, grant_state: grant }: TokenFacts): TokenWords {
  if (phase === 'ended')
    return { label: 'connected', kind: '', reason: 'Still connected, but the old API has ended.' };
  if (grant === 'in_doubt')
    return {
      label: 'working',
      kind: 'warning',
      reason: 'The new API did not answer a renewal clearly. It works on meanwhile; this is tried again.',
    };
  return { label: 'working', kind: 'ok', reason: 'Connected. Its calls are answered.' };
}

function stopped(facts: TokenFacts): TokenWords {
  const why = spoken(STOPPED, facts) ?? 'The connection has ended.';
  if (facts.phase === 'ended') return { label: 'stopped', kind: '', reason: `${why} So has the old API.` };
  const mend = facts.isOwn ? 'Connect again.' : 'Its holder has to connect again.';
  return { label: 'stopped', kind: 'warning', reason: `${why} ${mend}` };
}

/** State and reason of a token. */
export function tokenWords(facts: TokenFacts): TokenWords {
  if (facts.state === 'unmapped') return unmapped(facts);
  if (facts.state === 'active') return active(facts);
  if (facts.state === 'reauthorization_required') return stopped(facts);
  if (facts.state === 'migrated')
    return { label: 'moved', kind: '', reason: 'The app has moved to the new API with it.' };
  return { label: 'revoked', kind: '', reason: spoken(REVOKED, facts) ?? 'It was ended for good.' };
}

const SOURCES: Record<AppToken['source'], string> = {
  issued: 'issued',
  imported: 'imported',
  observed: 'seen in use',
  registration: 'from the registration',
};

/** Where it comes from. */
export function sourceWords(source: AppToken['source']): string {
  return SOURCES[source];
}

/** Enough to recognise it by: `1/abcd…wxyz`. */
export function hintWords({
  hint_first: first,
  hint_last: last,
}: Pick<AppToken, 'hint_first' | 'hint_last'>) {
  return first === null || last === null ? undefined : `1/${first}…${last}`;
}

/** Whose it is, for the owner of its app, who is never told the mail address of somebody else: some are named by one. */
export function holderWords(
  { account_id: id, account_name: name }: Pick<AppToken, 'account_id' | 'account_name'>,
  reader: string,
): string {
  if (id === null) return 'not known yet';
  if (id === reader) return 'you';
  const shown = name?.trim() ?? '';
  return shown === '' || shown.includes('@') ? 'an account without a name' : shown;
}
