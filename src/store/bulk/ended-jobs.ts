import { sql, type SqlBool } from 'kysely';
import { deletePiece, type Piece, type PieceResult } from '../driver/pieces.ts';
import type { Database } from '../driver/store.ts';

/** The removal of jobs that ended long ago: their items first, which hold on to them. */

/** The first piece of either, by the ids of jobs. */
export const FIRST_JOBS: Piece = { after: '', limit: 500 };

/** Removes a piece of the items of jobs that ended before a time. */
export function deleteItemsEndedBefore(db: Database, time: number, piece: Piece): Promise<PieceResult> {
  const which = sql<SqlBool>`job_id in (select id from bulk_jobs where ended_at < ${time})`;
  return deletePiece(db, { table: 'bulk_items', key: 'id', by: 'job_id', which }, piece);
}

/** Removes a piece of the jobs that ended before a time and have no items any more. */
export function deleteJobsEndedBefore(db: Database, time: number, piece: Piece): Promise<PieceResult> {
  const which = sql<SqlBool>`ended_at < ${time}
    and not exists (select 1 from bulk_items where job_id = bulk_jobs.id)`;
  return deletePiece(db, { table: 'bulk_jobs', key: 'id', by: 'id', which }, piece);
}
