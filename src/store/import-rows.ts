import { type Insertable, type Selectable, SqliteAdapter, sql } from 'kysely';
import type { Database } from './store.ts';
import type { Tables } from './tables.ts';

/** Look-ups and additions of many rows at once, for what comes in by the thousand. */

/** SQLite allows 32,766 in a statement. */
const PARAMETERS_MAX = 30_000;

type ImportedTable =
  | 'apps'
  | 'app_secrets'
  | 'app_callbacks'
  | 'app_contacts'
  | 'accounts'
  | 'id_pairs'
  | 'mappings';

function* slicesOf<T>(values: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < values.length; start += size) yield values.slice(start, start + size);
}

interface Place<T extends ImportedTable> {
  table: T;
  column: keyof Tables[T] & string;
}

/** The rows of a table that have one of these values in a column. */
export async function rowsWith<T extends ImportedTable>(
  db: Database,
  { table, column }: Place<T>,
  values: Iterable<string>,
): Promise<Array<Selectable<Tables[T]>>> {
  const found: Array<Selectable<Tables[T]>> = [];
  for (const slice of slicesOf([...new Set(values)], PARAMETERS_MAX)) {
    const query = sql<Selectable<Tables[T]>>`select * from ${sql.table(table)}
      where ${sql.ref(column)} in (${sql.join(slice)})`;
    const { rows } = await query.execute(db);
    for (const row of rows) found.push(row);
  }
  return found;
}

/**
 * Adds rows, which all name the same columns, where none is in their way; answers the values of `column` of those that
 * were added.
 */
export async function addRows<T extends ImportedTable>(
  tx: Database,
  { table, column }: Place<T>,
  rows: ReadonlyArray<Insertable<Tables[T]>>,
): Promise<string[]> {
  const added: string[] = [];
  const columns = Object.keys(rows[0] ?? {}) as Array<keyof Insertable<Tables[T]>>;
  const names = sql.join(columns.map((name) => sql.ref(String(name))));
  for (const slice of slicesOf(rows, Math.floor(PARAMETERS_MAX / Math.max(columns.length, 1)))) {
    const values = slice.map((row) => sql`(${sql.join(columns.map((name) => row[name]))})`);
    const query = sql<{ added: string }>`insert into ${sql.table(table)} (${names}) values ${sql.join(values)}
      on conflict do nothing returning ${sql.ref(column)} as added`;
    for (const row of (await query.execute(tx)).rows) added.push(row.added);
  }
  return added;
}

/** In pages of 4 KB. The pages of an index are written again by nearly every batch; so they reach the file more rarely. */
const LOG_PAGES = 32_000;

/** Prepares the database for many large transactions by this process: SQLite copies its log into its file less often. */
export async function prepareForMany(db: Database): Promise<void> {
  if (!(db.getExecutor().adapter instanceof SqliteAdapter)) return;
  await sql`pragma wal_autocheckpoint = ${sql.lit(LOG_PAGES)}`.execute(db);
}
