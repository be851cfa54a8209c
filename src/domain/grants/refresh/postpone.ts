import { MINUTE } from '../../../shared/lifetimes.ts';
import { postponeRefresh } from '../../../store/grants/presentations.ts';
import type { Grant } from '../../../store/tables/tables.ts';
import type { GrantsDeps } from '../deps.ts';
import { alarmOf } from '../../keys/retry-after-key-rotation.ts';

/**
 * Puts off a grant that cannot be refreshed because of a fault on our side, such as a pair that does not open. The
 * fault is logged once a minute (as an ALARM if a value does not open), and other grants get their turn. The rest does
 * not grow, so that the grant is served soon after the repair.
 */
export async function postponeGrant(context: GrantsDeps, grant: Grant, error: unknown): Promise<void> {
  context.logger.error(`${alarmOf(error)}a grant cannot be refreshed`, { grantId: grant.id, error });
  const retryAt = context.clock.now() + MINUTE;
  // If the database is away, the next run tries again.
  await postponeRefresh(context.store.durable, grant, retryAt).catch(() => undefined);
}
