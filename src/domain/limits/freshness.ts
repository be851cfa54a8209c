import type { GrantClient } from '../grants/grant-client.ts';
import type { Context } from '../context.ts';

/** How long an answer of the new API is served again without asking (milliseconds): longer as the client's budget empties. */
export function freshFor(
  { sides, settings }: Context,
  { modernClientId }: Pick<GrantClient, 'modernClientId'>,
): number {
  const share = sides.mainApiFor(modernClientId).remainingShare();
  return share >= 0.5 ? settings.profilesFresh : (settings.profilesFresh * 0.5) / Math.max(share, 0.01);
}
