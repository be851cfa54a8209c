import { sql } from 'kysely';
import { endOfPiece } from '../driver/next-piece.ts';
import type { Database } from '../driver/store.ts';
import type { GrantState } from '../tables/tables.ts';

/** Counts of grants by state, for the metrics. */

interface CountedPiece {
  rows: Array<{ state: GrantState; n: number }>;
  /** The last id of the piece; undefined when no piece follows. */
  next: string | undefined;
}

/** Counts the grants of the next piece by state, in the order of their ids. */
export async function countGrantStates(
  db: Database,
  piece: { after: string; size: number },
): Promise<CountedPiece> {
  const { last, next } = await endOfPiece(db, 'grants', piece);
  const rows = await db
    .selectFrom('grants')
    .select((eb) => ['state', eb.fn.countAll<number | string>().as('n')])
    .where('id', '>', piece.after)
    .where('id', '<=', last)
    .groupBy('state')
    .execute();
  return { rows: rows.map((row) => ({ ...row, n: Number(row.n) })), next };
}

/** How many grants are in doubt, counted up to `limit`, and since when the oldest of them is. */
export async function readDoubts(
  db: Database,
  limit: number,
): Promise<{ count: number; oldest: number | null }> {
  const doubts = db
    .selectFrom('grants')
    .select((eb) => eb.fn.coalesce('doubt_since', 'presented_at').as('since'))
    // Repeats the condition of the index, because SQLite uses a partial index only for the same condition.
    .where(sql<boolean>`state in ('presenting', 'in_doubt')`)
    .where('state', '=', 'in_doubt')
    .limit(limit)
    .as('doubts');
  const row = await db
    .selectFrom(doubts)
    .select((eb) => [eb.fn.countAll<number | string>().as('n'), eb.fn.min('doubts.since').as('oldest')])
    .executeTakeFirstOrThrow();
  return { count: Number(row.n), oldest: row.oldest };
}
