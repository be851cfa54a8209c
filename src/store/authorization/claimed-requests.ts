import { sql, type SqlBool } from 'kysely';
import type { ClaimedRequest } from '../tables/page-tables.ts';
import { deletePiece, FIRST_PIECE, type PieceResult } from '../driver/pieces.ts';
import type { Store } from '../driver/store.ts';

/** Authorization requests that a browser has claimed. A request becomes durable with its decision. */

/** Claims a request; false when it was claimed before. */
export async function claimRequest({ volatile }: Store, row: ClaimedRequest): Promise<boolean> {
  const inserted = await volatile
    .insertInto('claimed_requests')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

/** The digest of the browser that claimed a request; undefined when none did. */
export async function findClaimant({ volatile }: Store, id: string): Promise<string | null | undefined> {
  const row = await volatile
    .selectFrom('claimed_requests')
    .select('browser_digest')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.browser_digest;
}

/** Removes the claim of a decided request: the durable row holds all remaining data. */
export async function releaseRequest({ volatile }: Store, id: string): Promise<void> {
  await volatile.deleteFrom('claimed_requests').where('id', '=', id).execute();
}

/** Removes a piece of the claims of expired requests. */
export function deleteClaimsBefore(
  { volatile }: Store,
  time: number,
  piece = FIRST_PIECE,
): Promise<PieceResult> {
  const rows = { table: 'claimed_requests', key: 'id', by: 'expires_at' };
  return deletePiece(volatile, { ...rows, which: sql<SqlBool>`expires_at < ${time}` }, piece);
}
