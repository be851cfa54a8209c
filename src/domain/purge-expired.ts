import { DEAD_GRANT_KEPT, SPENT_ROWS_KEPT } from '../shared/lifetimes.ts';
import { dropAnswersBefore } from '../store/answers.ts';
import { deleteRequestsBefore } from '../store/authorization-requests.ts';
import { deleteEndedCounts } from '../store/counts.ts';
import { eraseDeadBefore } from '../store/grants.ts';
import { deleteCodesBefore } from '../store/legacy-codes.ts';
import { deleteLeasesBefore } from '../store/leases.ts';
import type { Context } from './context.ts';

/** Removes what nobody may need any more: spent codes, ended requests, sealed pairs of the long dead, old answers and counts. */
export async function purgeExpired(context: Context): Promise<void> {
  const now = context.clock.now();
  const { durable } = context.store;
  await deleteCodesBefore(durable, now - SPENT_ROWS_KEPT);
  await deleteRequestsBefore(durable, now - SPENT_ROWS_KEPT);
  await eraseDeadBefore(durable, now - DEAD_GRANT_KEPT);
  await dropAnswersBefore(context.store, now - context.settings.profilesStale);
  await deleteEndedCounts(context.store, now);
  await deleteLeasesBefore(context.store, now);
}
