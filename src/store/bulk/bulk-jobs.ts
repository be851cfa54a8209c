import type { Insertable, Selectable, Updateable } from 'kysely';
import { chunksOf } from '../../shared/chunks-of.ts';
import type { Database } from '../driver/store.ts';
import type { ApiTables, BulkItemState, BulkJobState } from '../tables/api-keys.ts';

/** Jobs on many things at once, and their items. */

export type BulkJobRow = Selectable<ApiTables['bulk_jobs']>;
export type BulkItemRow = Selectable<ApiTables['bulk_items']>;

const ITEMS_AT_ONCE = 200;

/** Adds a job with its items, in the caller's transaction. */
export async function insertBulkJob(
  tx: Database,
  job: Insertable<ApiTables['bulk_jobs']>,
  items: ReadonlyArray<Insertable<ApiTables['bulk_items']>>,
): Promise<void> {
  await tx.insertInto('bulk_jobs').values(job).execute();
  for (const some of chunksOf(items, ITEMS_AT_ONCE)) await tx.insertInto('bulk_items').values(some).execute();
}

/** One job. */
export async function readBulkJob(db: Database, id: string): Promise<BulkJobRow | undefined> {
  return db.selectFrom('bulk_jobs').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The newest jobs before one; their ids rise with time. */
export async function listBulkJobs(db: Database, before: string, limit: number): Promise<BulkJobRow[]> {
  return db
    .selectFrom('bulk_jobs')
    .selectAll()
    .where('id', '<', before)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** The jobs that are under way. */
export async function listOpenBulkJobs(db: Database): Promise<BulkJobRow[]> {
  return db
    .selectFrom('bulk_jobs')
    .selectAll()
    .where('state', 'in', ['running', 'taking_back'])
    .orderBy('id')
    .execute();
}

/** How many items of a job are in each state. */
export async function countBulkItems(db: Database, jobId: string) {
  return db
    .selectFrom('bulk_items')
    .select((eb) => ['state', eb.fn.countAll<number>().as('n')])
    .where('job_id', '=', jobId)
    .groupBy('state')
    .execute();
}

/** Items of a job after a place. */
export async function listBulkItems(
  db: Database,
  jobId: string,
  { after, limit, states }: { after: number; limit: number; states?: readonly BulkItemState[] },
): Promise<BulkItemRow[]> {
  return db
    .selectFrom('bulk_items')
    .selectAll()
    .where('job_id', '=', jobId)
    .where('place', '>', after)
    .$if(states !== undefined, (query) => query.where('state', 'in', states ?? []))
    .orderBy('place')
    .limit(limit)
    .execute();
}

interface BulkMove {
  from: BulkItemState;
  to: BulkItemState;
  /** The state that the job has to have. */
  whileJob: BulkJobState;
  now: number;
}

/** Claims an item for one step, once, while its job is in a state. */
export async function claimBulkItem(
  db: Database,
  { id, job_id: jobId }: Pick<BulkItemRow, 'id' | 'job_id'>,
  { from, to, whileJob, now }: BulkMove,
): Promise<boolean> {
  const result = await db
    .updateTable('bulk_items')
    .set({ state: to, claimed_at: now })
    .where('id', '=', id)
    .where('state', '=', from)
    .where((eb) =>
      eb.exists(
        eb.selectFrom('bulk_jobs').select('id').where('id', '=', jobId).where('state', '=', whileJob),
      ),
    )
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Keeps what came of a claimed item, or gives it back. */
export async function endBulkItem(
  db: Database,
  id: string,
  { from, to, answer }: Pick<BulkMove, 'from' | 'to'> & { answer: string | null },
): Promise<void> {
  await db
    .updateTable('bulk_items')
    .set({ state: to, answer })
    .where('id', '=', id)
    .where('state', '=', from)
    .execute();
}

/** Items of any job whose process ended before it could tell: nobody knows what came of them. */
export async function giveUpBulkItems(db: Database, claimedBefore: number): Promise<void> {
  await db
    .updateTable('bulk_items')
    .set({ state: 'unknown' })
    .where('state', 'in', ['running', 'undoing'])
    .where('claimed_at', '<', claimedBefore)
    .execute();
}

/** A step of a job, and what is kept with it. */
export interface BulkJobMove {
  from: BulkJobState;
  to: BulkJobState;
  now: number | null;
  /** Only a job that has not ended before this time. */
  endedSince?: number;
  kept?: Pick<Updateable<ApiTables['bulk_jobs']>, 'back_by' | 'back_request_id' | 'stopped_why'>;
}

/** Moves a job on; false where it is not in the state that was seen. */
export async function moveBulkJob(
  db: Database,
  id: string,
  { from, to, now, kept, endedSince }: BulkJobMove,
): Promise<boolean> {
  const result = await db
    .updateTable('bulk_jobs')
    .set({ ...kept, state: to, ended_at: now })
    .where('id', '=', id)
    .where('state', '=', from)
    .$if(endedSince !== undefined, (query) => query.where('ended_at', '>=', endedSince ?? 0))
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}
