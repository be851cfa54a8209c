import { MINUTE } from '../../shared/lifetimes.ts';
import { Refusal } from '../../shared/refusals/refusal.ts';
import {
  type BulkItemRow,
  type BulkJobRow,
  claimBulkItem,
  endBulkItem,
  giveUpBulkItems,
  listBulkItems,
  listOpenBulkJobs,
  moveBulkJob,
} from '../../store/bulk/bulk-jobs.ts';
import type { BulkItemState, BulkJobState } from '../../store/tables/api-keys.ts';
import { isSerializationFailure } from '../../store/driver/storage-fault.ts';
import { mayAct } from '../accounts/staff.ts';
import { apiCallerNamed } from '../api-keys/api-caller.ts';
import { isKeyActor } from '../history/key-actor.ts';
import type { Origin } from '../origin.ts';
import { withLease } from '../work/lease.ts';
import { yieldToEventLoop } from '../work/yield-to-event-loop.ts';
import { BULK_ACTIONS, type BulkInput, type BulkItem, type BulkOutcome } from './bulk-actions.ts';
import { stopBulkFor } from './bulk-jobs.ts';
import type { BulkDeps } from './deps.ts';

/**
 * Does the items of jobs, one after the other. Each item is claimed by one statement, and only while its job
 * runs: a job that is stopped does nothing more, and no item is done twice, whichever process comes along. An item
 * whose process ended in between is given up and told as `unknown`, and so is one that failed in between, at once. Only
 * an item whose transaction was undone for another one goes back into the queue, for nothing of it was done.
 */

const ITEMS_AT_ONCE = 100;
const LEASE_LIMIT = 5 * MINUTE;

/** No item takes as long. */
const GIVEN_UP_AFTER = 10 * MINUTE;

interface BulkStep {
  whileJob: BulkJobState;
  from: BulkItemState;
  claimed: BulkItemState;
  done: BulkItemState;
  refused: BulkItemState;
  /** The state of the job once no item is left. */
  end: BulkJobState;
}

const FORWARD: BulkStep = {
  whileJob: 'running',
  from: 'waiting',
  claimed: 'running',
  done: 'done',
  refused: 'refused',
  end: 'done',
};

const BACK: BulkStep = {
  whileJob: 'taking_back',
  from: 'done',
  claimed: 'undoing',
  done: 'undone',
  refused: 'kept',
  end: 'taken_back',
};

const stepOf = ({ state }: BulkJobRow): BulkStep => (state === 'taking_back' ? BACK : FORWARD);

/** In whose name a job acts: who takes it back has not asked for it. */
function originOf({ state, asked_by: actor, request_id: requestId, ...job }: BulkJobRow): Origin {
  if (state !== 'taking_back' || job.back_by === null) return { actor, requestId };
  return { actor: job.back_by, requestId: job.back_request_id };
}

function itemOf(job: BulkJobRow, { subject }: BulkItemRow): BulkItem {
  const input = JSON.parse(job.input) as BulkInput;
  // The reason of an action says nothing of why it is taken back.
  const reason = job.state === 'taking_back' ? `job ${job.id} was taken back` : job.reason;
  return { subject, input, reason, origin: originOf(job) };
}

async function outcomeOf(context: BulkDeps, job: BulkJobRow, row: BulkItemRow): Promise<BulkOutcome> {
  const action = BULK_ACTIONS[job.action];
  const item = itemOf(job, row);
  try {
    if (job.state !== 'taking_back') return await action.run(context, item);
    const facts = JSON.parse(row.answer ?? '{}') as Record<string, unknown>;
    return (await action.undo?.(context, item, facts)) ?? { is: 'refused', why: 'It cannot be taken back.' };
  } catch (error) {
    if (error instanceof Refusal) return { is: 'refused', why: error.message };
    throw error;
  }
}

/**
 * Why a job may not go on; undefined where it may. A job of five thousand items outlives requests: before each item its
 * key is held against the same rules as at the door.
 */
async function whyNot(context: BulkDeps, job: BulkJobRow): Promise<string | undefined> {
  const { actor } = originOf(job);
  if (!isKeyActor(actor)) return undefined;
  const { needs } = BULK_ACTIONS[job.action];
  const caller = await apiCallerNamed(context, actor);
  if (!caller) return `${actor} has ended or expired, or who made it is no staff any more.`;
  return mayAct(caller.role, needs)
    ? undefined
    : `It takes the role “${needs}”, and the role of ${actor} is “${caller.role}” now.`;
}

/** Whether a job may go on. One that may not is stopped; in a copy it stays as it is. */
async function mayGoOn(context: BulkDeps, job: BulkJobRow): Promise<boolean> {
  if (context.instance.isCopy()) return false;
  const why = await whyNot(context, job);
  if (why !== undefined) await stopBulkFor(context, job.id, why);
  return why === undefined;
}

const FAILED =
  'It failed in between, and nobody knows whether it was done. Look in the history before you ask for it again.';

/**
 * Ends an item whose action failed. While the database is away, this fails too: then the item is given up later.
 */
async function endFailed(
  { store, logger }: BulkDeps,
  { id, answer }: BulkItemRow,
  { error, step }: { error: unknown; step: BulkStep },
): Promise<undefined> {
  const { claimed, from } = step;
  if (isSerializationFailure(error)) {
    await endBulkItem(store.durable, id, { from: claimed, to: from, answer });
    return;
  }
  const told = JSON.stringify({ why: FAILED });
  await endBulkItem(store.durable, id, { from: claimed, to: 'unknown', answer: told });
  logger.error('an item of a job failed, and nobody knows whether it was done', { item: id, error });
}

/** Does one item; false where somebody else has it, or the job does not run any more. */
async function doItem(context: BulkDeps, job: BulkJobRow, row: BulkItemRow): Promise<boolean> {
  const { durable } = context.store;
  const { whileJob, from, claimed, done, refused } = stepOf(job);
  if (!(await mayGoOn(context, job))) return false;
  const claim = { from, to: claimed, whileJob, now: context.clock.now() };
  if (!(await claimBulkItem(durable, row, claim))) return false;
  const outcome = await outcomeOf(context, job, row).catch((error: unknown) =>
    endFailed(context, row, { error, step: stepOf(job) }),
  );
  if (!outcome) return true;
  const isDone = outcome.is === 'done';
  const answer = JSON.stringify(isDone ? outcome.facts : { why: outcome.why });
  await endBulkItem(durable, row.id, { from: claimed, to: isDone ? done : refused, answer });
  return true;
}

async function doSome(context: BulkDeps, job: BulkJobRow, rows: readonly BulkItemRow[]): Promise<boolean> {
  let isUnderWay = true;
  for (const row of rows) {
    isUnderWay = await doItem(context, job, row);
    await yieldToEventLoop(context.shutdown.signal);
  }
  return isUnderWay;
}

/** A job ends once nothing of it waits and no process has an item in hand. */
async function endJob(context: BulkDeps, job: BulkJobRow): Promise<void> {
  const { durable } = context.store;
  const { whileJob, from, claimed, end } = stepOf(job);
  const open = await listBulkItems(durable, job.id, { after: -1, limit: 1, states: [from, claimed] });
  if (open.length === 0)
    await moveBulkJob(durable, job.id, { from: whileJob, to: end, now: context.clock.now() });
}

async function runJob(context: BulkDeps, job: BulkJobRow, renew: () => Promise<void>): Promise<void> {
  const { durable } = context.store;
  const states = [stepOf(job).from];
  for (let after = -1; ; ) {
    const rows = await listBulkItems(durable, job.id, { after, limit: ITEMS_AT_ONCE, states });
    if (rows.length === 0 || !(await doSome(context, job, rows))) break;
    after = rows.at(-1)?.place ?? after;
    await renew();
  }
  await endJob(context, job);
}

/**
 * Does what waits of all jobs. Items are given up of stopped jobs too: until then such a job cannot be taken back. A
 * restored copy does nothing: its original may have stopped the jobs since.
 */
export async function runBulkJobs(context: BulkDeps): Promise<void> {
  if (context.instance.isCopy()) return;
  await giveUpBulkItems(context.store.durable, context.clock.now() - GIVEN_UP_AFTER);
  if ((await listOpenBulkJobs(context.store.durable)).length === 0) return;
  await withLease(context, { name: 'bulk jobs', limit: LEASE_LIMIT }, async (renew) => {
    for (const job of await listOpenBulkJobs(context.store.durable)) await runJob(context, job, renew);
  });
}
