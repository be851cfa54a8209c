import { newHexId, newOrderedId } from '../../shared/ids.ts';
import { BULK_KEPT } from '../../shared/lifetimes.ts';
import { isoMoment } from '../../shared/moments.ts';
import {
  type BulkItemRow,
  type BulkJobMove,
  type BulkJobRow,
  countBulkItems,
  insertBulkJob,
  listBulkItems,
  listBulkJobs,
  moveBulkJob,
  readBulkJob,
} from '../../store/bulk/bulk-jobs.ts';
import type { BulkAction, BulkItemState, BulkJobState } from '../../store/tables/api-keys.ts';
import { checkedReason } from '../history/reason.ts';
import { recordEvent } from '../history/record-event.ts';
import type { Origin } from '../origin.ts';
import { BULK_ACTIONS, type BulkInput } from './bulk-actions.ts';
import type { BulkDeps } from './deps.ts';

/** Jobs on many things at once: asked for, told, stopped, taken back. `run-bulk-jobs.ts` does their items. */

export type { BulkAction, BulkItemRow };

/** A job with how far it is. */
export interface BulkJobFacts {
  job: BulkJobRow;
  counts: Partial<Record<BulkItemState, number>>;
}

interface BulkRequest extends Origin {
  action: BulkAction;
  input: BulkInput;
  subjects: readonly string[];
  reason: string;
}

/** Keeps a job. Its items are done in the background.
 * @throws {ReasonRefused}
 */
export async function askForBulk(context: BulkDeps, asked: BulkRequest): Promise<BulkJobFacts> {
  const { action, input, actor, requestId } = asked;
  const [now, reason] = [context.clock.now(), checkedReason(asked.reason)];
  const subjects = [...new Set(asked.subjects)];
  const job: BulkJobRow = {
    id: newOrderedId(now),
    action,
    input: JSON.stringify(input),
    reason,
    asked_by: actor,
    request_id: requestId,
    state: 'running',
    made_at: now,
    ended_at: null,
    back_by: null,
    back_request_id: null,
    stopped_why: null,
  };
  const items = subjects.map((subject, place) => ({
    id: newHexId(),
    job_id: job.id,
    place,
    subject,
    state: 'waiting' as const,
  }));
  await context.store.transaction(async (tx) => {
    await insertBulkJob(tx, job, items);
    const words = `${job.id}: ${action} of ${subjects.length}; ${reason}`;
    await recordEvent(context, tx, { at: now, actor, requestId, action: 'bulk_asked', reason: words });
  });
  return { job, counts: { waiting: subjects.length } };
}

async function factsOf({ store }: BulkDeps, job: BulkJobRow): Promise<BulkJobFacts> {
  const rows = await countBulkItems(store.durable, job.id);
  return { job, counts: Object.fromEntries(rows.map(({ state, n }) => [state, n])) };
}

/** One job; undefined where there is none. */
export async function readBulk(context: BulkDeps, id: string): Promise<BulkJobFacts | undefined> {
  const job = await readBulkJob(context.store.durable, id);
  return job && factsOf(context, job);
}

const JOBS = 20;

/** The newest jobs before one; `next` is the cursor of the next page. */
export async function bulkPage(
  context: BulkDeps,
  before = 'g',
): Promise<{ jobs: BulkJobFacts[]; next: string | undefined }> {
  const rows = await listBulkJobs(context.store.durable, before, JOBS + 1);
  const jobs = await Promise.all(rows.slice(0, JOBS).map((job) => factsOf(context, job)));
  return { jobs, next: rows.length > JOBS ? jobs.at(-1)?.job.id : undefined };
}

const ITEMS = 500;

/** The items of a job after a place; `next` is the place to go on from. */
export async function bulkItemsPage(
  { store }: BulkDeps,
  jobId: string,
  after = -1,
): Promise<{ items: BulkItemRow[]; next: number | undefined }> {
  const rows = await listBulkItems(store.durable, jobId, { after, limit: ITEMS + 1 });
  const items = rows.slice(0, ITEMS);
  return { items, next: rows.length > ITEMS ? items.at(-1)?.place : undefined };
}

interface BulkChange extends Origin {
  id: string;
  /** Why, where the bridge itself does it. */
  why?: string;
}

async function moveWithEntry(
  context: BulkDeps,
  { id, actor, requestId, why }: BulkChange,
  move: Omit<BulkJobMove, 'from' | 'now'> & { from: readonly BulkJobState[]; action: string },
): Promise<boolean> {
  return context.store.transaction(async (tx) => {
    const at = context.clock.now();
    for (const from of move.from) {
      const now = move.to === 'stopped' ? at : null;
      if (!(await moveBulkJob(tx, id, { ...move, from, now }))) continue;
      await recordEvent(context, tx, {
        at,
        actor,
        requestId,
        action: move.action,
        reason: `${id} at ${isoMoment(at)}${why === undefined ? '' : `; ${why}`}`,
      });
      return true;
    }
    return false;
  });
}

/** Stops a job, or its taking back: no further item is begun. False where neither goes on. */
export function stopBulk(context: BulkDeps, change: BulkChange): Promise<boolean> {
  const from = ['running', 'taking_back'] as const;
  return moveWithEntry(context, change, { from, to: 'stopped', action: 'bulk_stopped' });
}

/** Stops what a job does, or its taking back: the key in whose name it acts may not do it any more. */
export function stopBulkFor(context: BulkDeps, id: string, why: string): Promise<boolean> {
  const move = { to: 'stopped', action: 'bulk_stopped', kept: { stopped_why: why } } as const;
  const change = { id, why, actor: 'bridge', requestId: null };
  return moveWithEntry(context, change, { ...move, from: ['running', 'taking_back'] });
}

/** Takes back what a job has done, item by item. False where it still runs, was taken back, or ended too long ago. */
export function takeBulkBack(context: BulkDeps, change: BulkChange): Promise<boolean> {
  const from = ['done', 'stopped'] as const;
  const kept = { back_by: change.actor, back_request_id: change.requestId, stopped_why: null };
  // What is removed of a job meanwhile could not be taken back.
  const endedSince = context.clock.now() - BULK_KEPT;
  const move = { to: 'taking_back', action: 'bulk_taken_back', kept, endedSince } as const;
  return moveWithEntry(context, change, { ...move, from });
}

/** Whether what an action does can be taken back. */
export const canTakeBack = (action: BulkAction): boolean => BULK_ACTIONS[action].undo !== undefined;
