import { DEAD_GRANT_KEPT, MINUTE, SPENT_ROWS_KEPT } from '../shared/lifetimes.ts';
import { dropAnswersBefore } from '../store/answers.ts';
import { deleteRequestsBefore } from '../store/authorization-requests.ts';
import { deleteEndedCounts } from '../store/counts.ts';
import { eraseDeadBefore } from '../store/grants.ts';
import { forgetHolders } from '../store/key-holders.ts';
import { deleteCodesBefore } from '../store/legacy-codes.ts';
import { deleteLeasesBefore } from '../store/leases.ts';
import type { Context } from './context.ts';

/** Removes what nobody may need any more: spent codes, ended requests, sealed pairs of the long dead, old answers. */
export async function purgeExpired(context: Context): Promise<void> {
  const now = context.clock.now();
  const { durable } = context.store;
  const removals = [
    deleteCodesBefore(durable, now - SPENT_ROWS_KEPT),
    deleteRequestsBefore(durable, now - SPENT_ROWS_KEPT),
    eraseDeadBefore(durable, now - DEAD_GRANT_KEPT),
    dropAnswersBefore(context.store, now - context.settings.profilesStale),
    deleteLeasesBefore(context.store, now),
    forgetHolders(durable, { seenBefore: now - 60 * MINUTE }),
  ];
  // One that fails is no reason to keep the others.
  const outcomes = await Promise.allSettled(removals);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
}

/** Removes counts of minutes that are over. */
export async function purgeCounts(context: Context): Promise<void> {
  await deleteEndedCounts(context.store, context.clock.now());
}
