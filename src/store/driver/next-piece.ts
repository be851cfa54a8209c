import type { Database } from './store.ts';

/** A piece of a table in the order of its ids. */
interface PieceEnd {
  /** The last id of the piece. */
  last: string;
  /** The same; undefined when no piece follows. */
  next: string | undefined;
}

/** Where the piece of `size` rows behind `after` ends. */
export async function endOfPiece(
  db: Database,
  table: 'grants' | 'mappings',
  { after, size }: { after: string; size: number },
): Promise<PieceEnd> {
  const behind = db.selectFrom(table).where('id', '>', after);
  const end = await behind
    .select('id')
    .orderBy('id')
    .limit(1)
    .offset(size - 1)
    .executeTakeFirst();
  // Without an end SQLite reads all rows by an index that fits the grouping.
  const last = end ?? (await behind.select((eb) => eb.fn.max('id').as('id')).executeTakeFirst());
  return { last: last?.id ?? after, next: end?.id };
}
