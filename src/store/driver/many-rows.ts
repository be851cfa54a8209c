import { type Insertable, type RawBuilder, SqliteAdapter, sql, type SqlBool } from 'kysely';
import type { Database } from './store.ts';
import type { Tables } from '../tables/tables.ts';

/**
 * Many values as one parameter: a statement with tens of thousands of parameters takes longer to write down and to
 * read than to run, and SQLite takes no more than 32,766.
 */

export function isSqlite(db: Database): boolean {
  return db.getExecutor().adapter instanceof SqliteAdapter;
}

/**
 * Equal to one of these texts. PostgreSQL gets them as an array, whose length it sees when it plans: it then looks them up
 * in an index, a partial one too, where of a list read out of JSON it would join whole tables.
 */
export function isOneOf(
  db: Database,
  column: string | RawBuilder<string>,
  texts: readonly string[],
): RawBuilder<SqlBool> {
  const given = typeof column === 'string' ? sql.ref(column) : column;
  if (!isSqlite(db)) return sql`${given} = any(${texts}::text[])`;
  return sql`${given} in (select value from json_each(${JSON.stringify(texts)}))`;
}

/** An insertion of rows, of which there is at least one and which all name the same columns, in their order. */
export function insertionOf<T extends keyof Tables>(
  db: Database,
  table: T,
  rows: ReadonlyArray<Insertable<Tables[T]>>,
): RawBuilder<unknown> {
  const columns = Object.keys(rows[0] ?? {}) as Array<keyof (typeof rows)[number] & string>;
  const names = sql.join(columns.map((name) => sql.ref(name)));
  const into = sql`insert into ${sql.table(table)} (${names})`;
  if (!isSqlite(db)) {
    const records = sql`json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)})`;
    return sql`${into} select ${names} from ${records}`;
  }
  const lists = JSON.stringify(rows.map((row) => columns.map((name) => row[name])));
  const values = columns.map((_, index) => sql`value ->> ${sql.lit(index)}`);
  // Without a condition SQLite would take `on conflict` for that of a join.
  return sql`${into} select ${sql.join(values)} from json_each(${lists}) where true`;
}
