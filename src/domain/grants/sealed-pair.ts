import type { SealedPair } from '../../store/grants/presentations.ts';
import type { Grant } from '../../store/tables/tables.ts';
import type { TokenPair } from '../../upstream/outcomes.ts';
import type { GrantsDeps } from './deps.ts';
import { pairTimes } from './refresh/refresh-policy.ts';
import { pairPlace } from '../keys/sealing-context.ts';

/** A pair that has just come, in the form of the grant's row: sealed for the row and version, with its times. */
export function sealPair(
  context: GrantsDeps,
  row: { id: string; version: number; sentAt: number },
  pair: TokenPair,
): SealedPair {
  const { expiresAt, refreshAt } = pairTimes(row.sentAt, pair.lifetime, context.chance());
  return {
    accessTokenSealed: context.vault.seal(pairPlace(row.id, row.version, 'access_token'), pair.accessToken),
    refreshTokenSealed: context.vault.seal(
      pairPlace(row.id, row.version, 'refresh_token'),
      pair.refreshToken,
    ),
    scope: pair.scope,
    accessExpiresAt: expiresAt,
    refreshAt,
    answeredAt: context.clock.now(),
  };
}

/** The access token of a grant's current version. */
export function openAccessToken(context: GrantsDeps, grant: Grant): string {
  if (grant.access_token_sealed === null) throw new Error(`grant ${grant.id} has no access token`);
  return context.vault.open(pairPlace(grant.id, grant.version, 'access_token'), grant.access_token_sealed);
}

/** The refresh token of a grant's current version. */
export function openRefreshToken(context: GrantsDeps, grant: Grant): string {
  if (grant.refresh_token_sealed === null) throw new Error(`grant ${grant.id} has no refresh token`);
  return context.vault.open(pairPlace(grant.id, grant.version, 'refresh_token'), grant.refresh_token_sealed);
}

/** Seals a pair of one version again, with the key that is active now. */
export function resealPair(
  { vault }: Pick<GrantsDeps, 'vault'>,
  { id, version }: { id: string; version: number },
  pair: SealedPair,
): SealedPair {
  const anew = (column: 'access_token' | 'refresh_token', sealed: string) => {
    const place = pairPlace(id, version, column);
    return vault.seal(place, vault.open(place, sealed));
  };
  return {
    ...pair,
    accessTokenSealed: anew('access_token', pair.accessTokenSealed),
    refreshTokenSealed: anew('refresh_token', pair.refreshTokenSealed),
  };
}
