import type { GrantClient } from '../grants/grant-client.ts';
import type { LimitsDeps } from './deps.ts';

/**
 * How long an answer of the new API is served again without a new request (milliseconds). The time grows as the budget
 * of the client empties.
 */
export function freshFor(
  { sides, settings }: LimitsDeps,
  { modernClientId }: Pick<GrantClient, 'modernClientId'>,
): number {
  const share = sides.mainApiFor(modernClientId).remainingShare();
  return share >= 0.5 ? settings.profilesFresh : (settings.profilesFresh * 0.5) / Math.max(share, 0.01);
}
