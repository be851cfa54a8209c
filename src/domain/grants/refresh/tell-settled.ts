import { SECOND } from '../../../shared/lifetimes.ts';
import type { Grant } from '../../../store/tables/tables.ts';
import type { GrantsDeps } from '../deps.ts';

/**
 * How a doubt ended. `renewed`: the next pair came. `unspent`: the refresh token was proven unspent. `ended` and `replaced`: the
 * grant was ended here, or a newer consent took its place. `refused`, `lost` and `superseded`: the grant died of it.
 */
type DoubtEnd = 'renewed' | 'unspent' | 'ended' | 'replaced' | 'refused' | 'lost' | 'superseded';

/** Tells that the doubt about a grant is over, so that the log alone says which grants are in doubt. */
export function tellSettled(
  { clock, logger }: Pick<GrantsDeps, 'clock' | 'logger'>,
  { id: grantId, client_id: clientId, doubt_since: since }: Pick<Grant, 'id' | 'client_id' | 'doubt_since'>,
  end: DoubtEnd,
): void {
  if (since === null) return;
  const seconds = Math.round((clock.now() - since) / SECOND);
  logger.info('a doubt was settled', { grantId, clientId, end, seconds });
}
