import type { Grant } from '../../../store/tables/tables.ts';
import { restsUntil } from '../../grants/refresh/refresh-policy.ts';
import type { AppToken } from '../app-tokens.ts';
import type { TokensDeps } from '../deps.ts';
import type { GrantFacts } from './standing.ts';

/** What the standing of a token needs of its grant: the same for support, for the holder and for the app's owner. */

type GrantTimes = Pick<Grant, 'state' | 'access_expires_at' | 'suspect_until' | 'retry_at'>;

/** The facts of a grant now. A client is known where it is the bridge's or an app's own (`isKnownClient`). */
export function grantFactsOf(
  grant: GrantTimes,
  { isClientKnown, now }: { isClientKnown: boolean; now: number },
): GrantFacts {
  return {
    state: grant.state,
    isServing: grant.access_expires_at > now,
    isSuspect: restsUntil({ retry_at: grant.suspect_until }, now) > 0,
    isStranded: !isClientKnown,
    isResting: restsUntil(grant, now) > 0,
  };
}

/** The facts of the grant of a listed token now; null where no grant serves the token. */
export function grantOfListed(
  { server, clock }: Pick<TokensDeps, 'server' | 'clock'>,
  token: AppToken,
): GrantFacts | null {
  const { grant_state: state, grant_client: client, grant_own_client: ownClient } = token;
  if (state === null) return null;
  const times = {
    state,
    access_expires_at: token.grant_serves_until ?? 0,
    suspect_until: token.grant_suspect_until ?? 0,
    retry_at: token.grant_retry_at ?? 0,
  };
  const isClientKnown = client === server.clientId || ownClient !== null;
  return grantFactsOf(times, { isClientKnown, now: clock.now() });
}
