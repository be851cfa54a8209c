import type { Database } from '../driver/store.ts';

/** How far the history was read for webhooks. */

export interface ReadingPlace {
  position: number;
  chain: string;
}

/** The place; undefined before the first reading. */
export async function readHistoryPlace(db: Database): Promise<ReadingPlace | undefined> {
  return db.selectFrom('webhook_reading').select(['position', 'chain']).executeTakeFirst();
}

/** Moves the place on, in the transaction of the messages; false where another process has moved it. */
export async function moveHistoryPlace(
  tx: Database,
  from: ReadingPlace,
  { position, chain }: ReadingPlace,
): Promise<boolean> {
  const result = await tx
    .updateTable('webhook_reading')
    .set({ position, chain })
    .where('position', '=', from.position)
    .where('chain', '=', from.chain)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Begins at a place anew, for the first webhook and where the history is another one than before. */
export async function keepHistoryPlace(tx: Database, { position, chain }: ReadingPlace): Promise<void> {
  const row = tx.insertInto('webhook_reading').values({ singleton: 1, position, chain });
  await row.onConflict((conflict) => conflict.column('singleton').doUpdateSet({ position, chain })).execute();
}
