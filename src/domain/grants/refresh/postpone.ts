import { MINUTE } from '../../../shared/lifetimes.ts';
import { postponeRefresh } from '../../../store/grants/presentations.ts';
import type { Grant } from '../../../store/tables/tables.ts';
import type { Context } from '../../context.ts';
import { alarmOf } from '../../keys/retry-after-key-rotation.ts';

/**
 * A grant that cannot be refreshed for a reason of ours, as one whose pair does not open: a person is called once a minute,
 * and it makes room for others. It is served again soon after it was mended, so the rest does not grow.
 */
export async function postponeGrant(context: Context, grant: Grant, error: unknown): Promise<void> {
  context.logger.error(`${alarmOf(error)}a grant cannot be refreshed`, { grantId: grant.id, error });
  const retryAt = context.clock.now() + MINUTE;
  // A database that is away is looked at again with the next run.
  await postponeRefresh(context.store.durable, grant, retryAt).catch(() => undefined);
}
