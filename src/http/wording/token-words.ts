import type { OldApiStatus } from '../../domain/lifecycle/old-api-status.ts';
import type { AppToken } from '../../domain/tokens/app-tokens.ts';
import { personReason } from '../../domain/tokens/standing/for-person.ts';
import { type GrantFacts, standingOf } from '../../domain/tokens/standing/standing.ts';
import { badgeOf, type StandingBadge } from './state-words.ts';

/** One token in words, for its holder or for the owner of its app. */

/** What the words depend on. */
export interface PersonTokenFacts
  extends Pick<AppToken, 'state' | 'reason' | 'source' | 'account_id' | 'isExpected'> {
  /** Null where no grant serves the token. */
  grant: GrantFacts | null;
  /** Whether the reader is the holder of the token. */
  isOwn: boolean;
  oldApi: OldApiStatus;
}

interface TokenWords extends StandingBadge {
  /** Why the token is in its standing, in a sentence or two. */
  reason: string;
}

/** The standing of a token and the reason. */
export function tokenWords(facts: PersonTokenFacts): TokenWords {
  const standing = standingOf(facts);
  const { hasOldApi } = facts.oldApi;
  return { ...badgeOf(standing, facts.state), reason: personReason(standing, { ...facts, hasOldApi }) };
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
