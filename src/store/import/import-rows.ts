import { type Insertable, type Selectable, sql } from 'kysely';
import { insertionOf, isOneOf, isSqlite } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';
import type { Tables } from '../tables/tables.ts';

/** Look-ups and additions of many rows at once, for what comes in by the thousand. */

type ImportedTable =
  | 'apps'
  | 'app_secrets'
  | 'app_callbacks'
  | 'app_contacts'
  | 'accounts'
  | 'id_pairs'
  | 'mappings';

interface Place<T extends ImportedTable> {
  table: T;
  column: keyof Tables[T] & string;
}

/** Both indexes of the pairs begin with their kind: without one each look-up would read the whole table. */
const OF_ANY_KIND = sql`kind in ('profile', 'account') and`;

/** The rows of a table that have one of these values in a column. */
export async function rowsWith<T extends ImportedTable>(
  db: Database,
  { table, column }: Place<T>,
  values: Iterable<string>,
): Promise<Array<Selectable<Tables[T]>>> {
  const given = [...new Set(values)];
  if (given.length === 0) return [];
  const kind = table === 'id_pairs' ? OF_ANY_KIND : sql``;
  const query = sql<Selectable<Tables[T]>>`select * from ${sql.table(table)}
    where ${kind} ${isOneOf(db, column, given)}`;
  return (await query.execute(db)).rows;
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
  if (rows.length === 0) return [];
  const insertion = insertionOf(tx, table, rows);
  const query = sql<{
    added: string;
  }>`${insertion} on conflict do nothing returning ${sql.ref(column)} as added`;
  return (await query.execute(tx)).rows.map(({ added }) => added);
}

/** In pages of 4 KB. The pages of an index are written again by nearly every batch; so they reach the file more rarely. */
const LOG_PAGES = 32_000;

/** What a batch changes stays in memory until it is committed, instead of going through the log more than once. */
const CACHE_KB = 49_152;

/** Prepares this process's connection for many large transactions; SQLite alone needs it. */
export async function prepareForMany(db: Database): Promise<void> {
  if (!isSqlite(db)) return;
  await sql`pragma wal_autocheckpoint = ${sql.lit(LOG_PAGES)}`.execute(db);
  await sql`pragma cache_size = ${sql.lit(-CACHE_KB)}`.execute(db);
}
