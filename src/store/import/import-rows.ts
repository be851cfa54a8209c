import { type Insertable, type Selectable, sql } from 'kysely';
import { insertionOf, isOneOf, isSqlite } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';
import type { Tables } from '../tables/tables.ts';

/** Look-ups and insertions of many rows at once, for imports of thousands of rows. */

export type ImportedTable =
  | 'apps'
  | 'app_secrets'
  | 'app_callbacks'
  | 'app_contacts'
  | 'accounts'
  | 'id_pairs'
  | 'grants'
  | 'handovers'
  | 'mappings';

export interface ImportColumn<T extends ImportedTable> {
  table: T;
  column: keyof Tables[T] & string;
}

/** Both indexes of the pairs begin with the kind. Without a kind each look-up would read the whole table. */
const OF_ANY_KIND = sql`kind in ('profile', 'account') and`;

/** The rows of a table with one of these values in a column. */
export async function rowsWith<T extends ImportedTable>(
  db: Database,
  { table, column }: ImportColumn<T>,
  values: Iterable<string>,
): Promise<Array<Selectable<Tables[T]>>> {
  const given = [...new Set(values)];
  if (given.length === 0) return [];
  const kind = table === 'id_pairs' ? OF_ANY_KIND : sql``;
  const query = sql<Selectable<Tables[T]>>`select * from ${sql.table(table)}
    where ${kind} ${isOneOf(db, column, given)}`;
  return (await query.execute(db)).rows;
}

/** The columns of a table, in a SQLite database. */
export async function columnsIn(db: Database, table: ImportedTable): Promise<ReadonlySet<string>> {
  const query = sql<{ name: string }>`select name from pragma_table_info(${table})`;
  return new Set((await query.execute(db)).rows.map(({ name }) => name));
}

/**
 * Adds rows, skipping rows that conflict with existing rows. All rows name the same columns. Returns the values of
 * `column` of the added rows.
 */
export async function addRows<T extends ImportedTable>(
  tx: Database,
  { table, column }: ImportColumn<T>,
  rows: ReadonlyArray<Insertable<Tables[T]>>,
): Promise<string[]> {
  if (rows.length === 0) return [];
  const insertion = insertionOf(tx, table, rows);
  const query = sql<{
    added: string;
  }>`${insertion} on conflict do nothing returning ${sql.ref(column)} as added`;
  return (await query.execute(tx)).rows.map(({ added }) => added);
}

/**
 * In pages of 4 KB. Nearly every batch rewrites the pages of an index; with a long log these pages reach the file less
 * often.
 */
const LOG_PAGES = 32_000;

/**
 * What a batch changes stays in memory until the commit, as far as it finds room, instead of going through the log more than
 * once. With 48 MB an import of a million tokens took no less of the processor (scripts/bench/README.md).
 */
const CACHE_KB = 24_576;

/**
 * Prepares this process's connection for many large transactions, for as long as the process lives. Only SQLite needs
 * this. `isFileShared`: other processes may write to the same file. All of them write to one log, and each commit that
 * finds the log long copies it into the file. So the log of a shared file stays short: this process copies what its
 * batches wrote, and a process that serves calls does not wait for it.
 */
export async function prepareForMany(
  db: Database,
  { isFileShared }: { isFileShared: boolean },
): Promise<void> {
  if (!isSqlite(db)) return;
  if (!isFileShared) await sql`pragma wal_autocheckpoint = ${sql.lit(LOG_PAGES)}`.execute(db);
  await sql`pragma cache_size = ${sql.lit(-CACHE_KB)}`.execute(db);
}
