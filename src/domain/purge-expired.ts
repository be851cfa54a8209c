import {
  API_ANSWERS_KEPT,
  BULK_KEPT,
  DEEDS_KEPT,
  DEAD_GRANT_KEPT,
  MINUTE,
  SPENT_ROWS_KEPT,
  UNFINISHED_REQUESTS_KEPT,
  UPDATE_IDS_KEPT,
  USAGE_KEPT,
  WRITES_KEPT,
} from '../shared/lifetimes.ts';
import { dayOf } from '../shared/moments.ts';
import { deleteAnswersAskedBefore } from '../store/api-keys/kept-answers.ts';
import { deleteItemsEndedBefore, deleteJobsEndedBefore, FIRST_JOBS } from '../store/bulk/ended-jobs.ts';
import { dropAnswersBefore, FIRST_ANSWERS } from '../store/grants/answers.ts';
import {
  deleteRequestsBefore,
  deleteUnfinishedBefore,
} from '../store/authorization/authorization-requests.ts';
import { deleteClaimsBefore } from '../store/authorization/claimed-requests.ts';
import { deleteEndedCounts } from '../store/limits/counts.ts';
import { deleteProofsBefore } from '../store/accounts/email-proofs.ts';
import { eraseDeadBefore } from '../store/grants/grants.ts';
import { deleteDeedsBefore, deletePartsBefore, FIRST_DEEDS } from '../store/history/deeds.ts';
import { eraseUnconfirmedBefore } from '../store/grants/handovers.ts';
import { forgetHolders } from '../store/keys/key-holders.ts';
import { deleteCodesBefore } from '../store/authorization/legacy-codes.ts';
import { deleteLeasesBefore } from '../store/work/leases.ts';
import type { Piece, PieceResult } from '../store/driver/pieces.ts';
import { dropPostAnswersBefore, FIRST_POST_ANSWERS } from '../store/posts/post-answers.ts';
import { deleteToldPostsBefore, deleteUpdatesBefore } from '../store/posts/update-ids.ts';
import { deleteWritesBefore } from '../store/posts/write-journal.ts';
import { deleteSessionsBefore } from '../store/accounts/sessions.ts';
import { deleteUsageBefore } from '../store/usage/usage.ts';
import type { Context } from './context.ts';
import { purgeLive } from './live/purge-live.ts';
import { recordEvents } from './history/record-event.ts';
import { purgeWebhooks } from './webhooks/purge-webhooks.ts';
import { restForCalls } from './work/yield-to-event-loop.ts';
import { inPieces } from './work/in-pieces.ts';

/** Rows of one statement. SQLite holds up the process while a statement runs. */
const USAGE_AT_ONCE = 1000;

/** A day of usage may have many rows. The process serves calls between two statements. */
async function purgeUsage({ store, clock, shutdown }: Context): Promise<void> {
  const day = dayOf(clock.now() - USAGE_KEPT);
  while ((await deleteUsageBefore(store, day, USAGE_AT_ONCE)) === USAGE_AT_ONCE)
    await restForCalls(shutdown.signal);
}

/**
 * Erases a piece of the handed-over token pairs that no app confirmed. The erasure loses such a pair for good, so the
 * history records the erasure. Other dead pairs are of no use already, and their erasure is not recorded.
 */
async function eraseUnconfirmed(context: Context, { limit, after }: Piece): Promise<PieceResult> {
  const now = context.clock.now();
  const time = now - DEAD_GRANT_KEPT;
  const count = await context.store.transaction(async (tx) => {
    const erased = await eraseUnconfirmedBefore(tx, { time, limit });
    const by = { at: now, actor: 'bridge', action: 'handover_erased', reason: 'not confirmed in seven days' };
    const changes = erased.map(({ id, client_id: clientId, account_id: accountId }) => {
      return { ...by, grantId: id, clientId, accountId };
    });
    await recordEvents(context, tx, changes);
    return erased.length;
  });
  return { count, after };
}

async function eraseDeadPairs(context: Context): Promise<void> {
  const time = context.clock.now() - DEAD_GRANT_KEPT;
  const options = { stopping: context.shutdown.signal };
  await inPieces(options, (piece) => eraseUnconfirmed(context, piece));
  await inPieces(options, (piece) => eraseDeadBefore(context.store.durable, time, piece));
}

async function purgeBulk({ store, clock, shutdown }: Context): Promise<void> {
  const time = clock.now() - BULK_KEPT;
  const options = { stopping: shutdown.signal, first: FIRST_JOBS };
  await inPieces(options, (piece) => deleteItemsEndedBefore(store.durable, time, piece));
  await inPieces(options, (piece) => deleteJobsEndedBefore(store.durable, time, piece));
}

async function purgeDeeds({ store, clock, shutdown }: Context): Promise<void> {
  const time = clock.now() - DEEDS_KEPT;
  const options = { stopping: shutdown.signal, first: FIRST_DEEDS };
  await inPieces(options, (piece) => deletePartsBefore(store.durable, time, piece));
  await inPieces(options, (piece) => deleteDeedsBefore(store.durable, time, piece));
}

/** Runs all removals. A removal that fails does not stop the other removals. */
async function runAll(removals: ReadonlyArray<Promise<void>>): Promise<void> {
  const outcomes = await Promise.allSettled(removals);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
}

/**
 * Removes rows that nobody needs any more: spent codes, ended requests, sealed pairs of long dead grants, old usage.
 */
export async function purgeExpired(context: Context): Promise<void> {
  const { store, settings } = context;
  const options = { stopping: context.shutdown.signal };
  const now = context.clock.now();
  const spent = now - SPENT_ROWS_KEPT;
  const stale = now - settings.profilesStale;
  await runAll([
    inPieces(options, (piece) => deleteCodesBefore(store.durable, spent, piece)),
    inPieces(options, (piece) => deleteRequestsBefore(store.durable, spent, piece)),
    inPieces(options, (piece) => deleteProofsBefore(store.durable, spent, piece)),
    eraseDeadPairs(context),
    inPieces({ ...options, first: FIRST_ANSWERS }, (piece) => dropAnswersBefore(store, stale, piece)),
    inPieces({ ...options, first: FIRST_POST_ANSWERS }, (piece) =>
      dropPostAnswersBefore(store, stale, piece),
    ),
    deleteLeasesBefore(store, now),
    inPieces(options, (piece) => deleteSessionsBefore(store, now, piece)),
    inPieces(options, (piece) => deleteWritesBefore(store.durable, now - WRITES_KEPT, piece)),
    inPieces(options, (piece) => deleteUpdatesBefore(store.durable, now - UPDATE_IDS_KEPT, piece)),
    inPieces(options, (piece) => deleteToldPostsBefore(store.durable, now - UPDATE_IDS_KEPT, piece)),
    inPieces(options, (piece) => deleteAnswersAskedBefore(store.durable, now - API_ANSWERS_KEPT, piece)),
    purgeUsage(context),
    purgeBulk(context),
    purgeDeeds(context),
    purgeWebhooks(context),
    forgetHolders(store.durable, { seenBefore: now - 60 * MINUTE }),
  ]);
}

/**
 * Removes short-lived rows, which anybody can cause in large numbers: counts of minutes that have ended, claimed and
 * decided requests that never came back, and calls that no live page shows any more.
 */
export async function purgeShortLived(context: Context): Promise<void> {
  const { store } = context;
  const options = { stopping: context.shutdown.signal };
  const now = context.clock.now();
  const unfinished = now - UNFINISHED_REQUESTS_KEPT;
  await runAll([
    inPieces(options, (piece) => deleteEndedCounts(store, now, piece)),
    inPieces(options, (piece) => deleteClaimsBefore(store, unfinished, piece)),
    inPieces(options, (piece) => deleteUnfinishedBefore(store.durable, unfinished, piece)),
    purgeLive(context),
  ]);
}
