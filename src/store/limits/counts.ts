import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { chunksOf } from '../../shared/chunks-of.ts';
import { MINUTE, SECOND } from '../../shared/lifetimes.ts';
import { deletePiece, FIRST_PIECE, type PieceResult } from '../driver/pieces.ts';
import { insertionOf, isSqlite } from '../driver/many-rows.ts';
import type { Store } from '../driver/store.ts';
import type { Count } from '../tables/tables.ts';

/** Every count lasts this long from its first point. */
export const COUNT_WINDOW = 1 * MINUTE;

/** The clocks of two machines may differ by this much. A count with a later end was written by a wrong clock. */
const CLOCK_TOLERANCE = 5 * SECOND;

/** The latest end that a count may have. */
export function latestEnd(now: number): number {
  return now + COUNT_WINDOW + CLOCK_TOLERANCE;
}

function isOver(now: number): RawBuilder<SqlBool> {
  return sql<SqlBool>`(counts.ends_at <= ${now} or counts.ends_at > ${latestEnd(now)})`;
}

/** Far below the number of parameters that both databases allow in one statement. */
const ROWS_PER_STATEMENT = 2000;

/** Points to add, and the end of their count if the count is new. */
export type NewPoints = Omit<Count, 'changed_at'>;

async function addRows(store: Store, rows: readonly NewPoints[], now: number): Promise<Count[]> {
  const given = rows.map((row) => ({ ...row, changed_at: now }));
  const added = await sql<Count>`${insertionOf(store.volatile, 'counts', given)}
    on conflict (key_digest) do update set
    points = case when ${isOver(now)} then excluded.points else counts.points + excluded.points end,
    ends_at = case when ${isOver(now)} then excluded.ends_at else counts.ends_at end,
    changed_at = excluded.changed_at
    returning *`.execute(store.volatile);
  return added.rows;
}

/**
 * Adds points to counts and returns the new totals, in one statement for each two thousand. A count that is over starts
 * anew. Rows are locked in the order of their keys, so that two processes cannot wait for each other.
 */
export async function addCounts(store: Store, rows: readonly NewPoints[], now: number): Promise<Count[]> {
  const ordered = rows.toSorted((a, b) => (a.key_digest < b.key_digest ? -1 : 1));
  const totals: Count[] = [];
  for (const some of chunksOf(ordered, ROWS_PER_STATEMENT)) totals.push(...(await addRows(store, some, now)));
  return totals;
}

/**
 * Changes when another process writes volatile data; undefined where the database cannot tell. SQLite tells it of the
 * connection that is asked, and this process writes volatile data over one connection.
 */
export async function othersMark({ volatile }: Store): Promise<number | undefined> {
  if (!isSqlite(volatile)) return undefined;
  const { rows } = await sql<{ data_version: number }>`pragma data_version`.execute(volatile);
  return rows[0]?.data_version;
}

/** The running counts that any process changed since a time. */
export async function listChangedCounts(
  store: Store,
  { since, now }: { since: number; now: number },
): Promise<Count[]> {
  return store.volatile
    .selectFrom('counts')
    .selectAll()
    .where('changed_at', '>=', since)
    .where('ends_at', '>', now)
    .execute();
}

/** Removes a piece of the counts that are over. */
export function deleteEndedCounts(store: Store, now: number, piece = FIRST_PIECE): Promise<PieceResult> {
  const rows = { table: 'counts', key: 'key_digest', by: 'ends_at' };
  return deletePiece(store.volatile, { ...rows, which: isOver(now) }, piece);
}
