import { DEAD_GRANT_KEPT, MINUTE, SPENT_ROWS_KEPT, USAGE_KEPT } from '../shared/lifetimes.ts';
import { dayOf } from '../shared/moments.ts';
import { dropAnswersBefore } from '../store/answers.ts';
import { deleteRequestsBefore } from '../store/authorization-requests.ts';
import { deleteEndedCounts } from '../store/counts.ts';
import { deleteProofsBefore } from '../store/email-proofs.ts';
import { eraseDeadBefore } from '../store/grants.ts';
import { eraseUnconfirmedBefore } from '../store/handovers.ts';
import { forgetHolders } from '../store/key-holders.ts';
import { deleteCodesBefore } from '../store/legacy-codes.ts';
import { deleteLeasesBefore } from '../store/leases.ts';
import { deleteSessionsBefore } from '../store/sessions.ts';
import { deleteUsageBefore } from '../store/usage.ts';
import type { Context } from './context.ts';
import { purgeLive } from './live/purge-live.ts';
import { recordEvents } from './record-event.ts';
import { takeTurns } from './reminders/take-turns.ts';

/** Rows of one removal, which holds up the process while it runs (SQLite). */
const USAGE_AT_ONCE = 1000;

/** A day of usage may be many rows; others are served between its parts. */
async function purgeUsage({ store, clock, shutdown }: Context): Promise<void> {
  const day = dayOf(clock.now() - USAGE_KEPT);
  while ((await deleteUsageBefore(store, day, USAGE_AT_ONCE)) === USAGE_AT_ONCE)
    await takeTurns(shutdown.signal);
}

/** A pair that its app never confirmed is lost with its erasing, so the history says so; the others ended before. */
async function eraseDeadPairs(context: Context): Promise<void> {
  const now = context.clock.now();
  const time = now - DEAD_GRANT_KEPT;
  await context.store.transaction(async (tx) => {
    const erased = await eraseUnconfirmedBefore(tx, time);
    const by = { at: now, actor: 'bridge', action: 'handover_erased', reason: 'not confirmed in seven days' };
    const changes = erased.map(({ id, client_id: clientId, account_id: accountId }) => {
      return { ...by, grantId: id, clientId, accountId };
    });
    await recordEvents(context, tx, changes);
  });
  await eraseDeadBefore(context.store.durable, time);
}

/** Removes what nobody may need any more: spent codes, ended requests, sealed pairs of the long dead, old usage. */
export async function purgeExpired(context: Context): Promise<void> {
  const now = context.clock.now();
  const { durable } = context.store;
  const removals = [
    deleteCodesBefore(durable, now - SPENT_ROWS_KEPT),
    deleteRequestsBefore(durable, now - SPENT_ROWS_KEPT),
    deleteProofsBefore(durable, now - SPENT_ROWS_KEPT),
    eraseDeadPairs(context),
    dropAnswersBefore(context.store, now - context.settings.profilesStale),
    deleteLeasesBefore(context.store, now),
    deleteSessionsBefore(context.store, now),
    purgeUsage(context),
    forgetHolders(durable, { seenBefore: now - 60 * MINUTE }),
  ];
  // One that fails is no reason to keep the others.
  const outcomes = await Promise.allSettled(removals);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
}

/** Removes counts of minutes that are over, and calls that nobody can see any more. */
export async function purgeCounts(context: Context): Promise<void> {
  await deleteEndedCounts(context.store, context.clock.now());
  await purgeLive(context);
}
