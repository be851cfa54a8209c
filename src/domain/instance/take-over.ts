import { chunksOf } from '../../shared/chunks-of.ts';
import { newHexId } from '../../shared/ids.ts';
import { isoMoment } from '../../shared/moments.ts';
import { listOpenBulkJobs, moveBulkJob } from '../../store/bulk/bulk-jobs.ts';
import { becomeOriginal, readInstance } from '../../store/instance/instance.ts';
import { countCallsSince } from '../../store/usage/known-calls.ts';
import { type LiveGrant, listLive, markRestoredInDoubt, voidAllCodes } from '../../store/grants/restored.ts';
import type { Database } from '../../store/driver/store.ts';
import { markTakeOver } from '../history/anchor-history.ts';
import type { Instance } from '../../store/tables/tables.ts';
import type { InstanceDeps } from './deps.ts';
import { epochOfTakeOver } from './take-over-epoch.ts';
import { recordEvent, recordEvents } from '../history/record-event.ts';

/**
 * Makes a restored copy the original (docs/decisions/0010). The original may have spent any refresh token since the
 * copy was made. So every live grant is in doubt: its old access token is still used, and the doubt is resolved by the
 * usual rules (access-token.ts), a few grants at a time (resolve-doubts.ts).
 */

const REASON = 'a restored copy was taken over';

/** This many grants become due at the same time. The others are spread over a fifth of the quiet time. */
const AT_ONCE = 500;
const SPREAD = 0.2;

type TakeOverProgress = (done: number, total: number) => void;

interface DoubtWatch {
  now: number;
  tell: TakeOverProgress;
}

async function doubtAll(context: InstanceDeps, tx: Database, { now, tell }: DoubtWatch): Promise<number> {
  const grants = await listLive(tx);
  const [claimId, quiet] = [newHexId(), context.settings.inDoubtQuiet];
  const by = { at: now, actor: 'command', reason: REASON };
  const entryOf = (grant: LiveGrant) => ({
    ...by,
    action: 'refresh_in_doubt',
    clientId: grant.client_id,
    accountId: grant.account_id,
    grantId: grant.id,
  });
  let before = 0;
  for (const some of chunksOf(grants, AT_ONCE)) {
    const retryAt = before === 0 ? 0 : Math.floor(now + quiet + (quiet * SPREAD * before) / grants.length);
    const ids = some.map(({ id }) => id);
    await markRestoredInDoubt(tx, ids, { claimId, retryAt, now });
    // With their grants, and not all at the end: PostgreSQL ends a transaction that is silent for seconds, and a
    // statement that takes too long. Either would make the take-over of a large fleet impossible.
    await recordEvents(context, tx, some.map(entryOf));
    before += some.length;
    tell(before, grants.length);
  }
  await recordEvent(context, tx, { ...by, action: 'taken_over' });
  return grants.length;
}

const MAYBE_STOPPED =
  'A restored copy was taken over. The job may have been stopped or taken back since the copy was made.';

/** Stops the jobs on many things: nobody knows here whether the original did them, stopped them or took them back. */
async function stopJobs(context: InstanceDeps, tx: Database, now: number): Promise<void> {
  const move = { to: 'stopped', now, kept: { stopped_why: MAYBE_STOPPED } } as const;
  for (const { id, state } of await listOpenBulkJobs(tx)) {
    await moveBulkJob(tx, id, { ...move, from: state });
    const reason = `${id} at ${isoMoment(now)}; ${REASON}`;
    await recordEvent(context, tx, { at: now, actor: 'command', action: 'bulk_stopped', reason });
  }
}

const isOriginal = ({ instance }: Pick<InstanceDeps, 'instance'>, { state }: Instance) =>
  state === 'original' && !instance.isCopy();

/**
 * Takes the copy over. Allowed only where the original will never work again. A bridge that runs on the copy notices
 * within a second. `tell` hears how many grants are in doubt already.
 * @returns how many grants are in doubt now; undefined where the database is the original, and nothing was changed
 */
export async function takeOver(
  context: InstanceDeps,
  tell: TakeOverProgress = () => undefined,
): Promise<number | undefined> {
  if (isOriginal(context, await readInstance(context.store.durable))) return undefined;
  // This database does not know the calls to the original since the copy was made. Said first: after a kill behind the
  // transaction nobody would say it any more.
  await countCallsSince(context.store, context.clock.now());
  const [place, time] = [await context.store.place(), await context.store.now()];
  const grants = await context.store.transaction(async (tx) => {
    const row = await readInstance(tx);
    if (isOriginal(context, row)) return undefined;
    const now = context.clock.now();
    // A machine that saw the original may know a higher epoch than the copy has. The copy must count as newer there.
    const epoch = epochOfTakeOver(Math.max(row.epoch, context.instance.seen().epoch), time);
    await becomeOriginal(tx, { epoch, place });
    // A code of the copy may have been spent at the original.
    await voidAllCodes(tx, now);
    await stopJobs(context, tx, now);
    return doubtAll(context, tx, { now, tell });
  });
  if (grants === undefined) return undefined;
  await markTakeOver(context);
  await context.instance.adopt();
  return grants;
}
