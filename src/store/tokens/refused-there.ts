import type { Database } from '../driver/store.ts';

/** Tokens that a grant serves and that the old API has refused. */

/** Keeps the first refusal by the old API; false when an earlier refusal is known. */
export async function keepOldApiRefusal(tx: Database, mappingId: string, now: number): Promise<boolean> {
  const kept = await tx
    .updateTable('mappings')
    .set({ refused_there_at: now })
    .where('id', '=', mappingId)
    .where('refused_there_at', 'is', null)
    .executeTakeFirst();
  return kept.numUpdatedRows === 1n;
}
