import { type Insertable, type Kysely, type RawBuilder, SqliteAdapter, sql, type SqlBool } from 'kysely';
import type { Database } from './store.ts';

/**
 * Many values as one parameter. A statement with tens of thousands of parameters takes longer to write and to parse
 * than to run, and SQLite accepts at most 32,766.
 */

export function isSqlite(db: Pick<Database, 'getExecutor'>): boolean {
  return db.getExecutor().adapter instanceof SqliteAdapter;
}

/**
 * True when the column equals one of the texts. PostgreSQL gets an array, because the planner sees its length and then
 * uses an index, even a partial index. For a list read out of JSON the planner would join whole tables.
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

/**
 * True when one of the parts stands in the text, which is compared in what the database takes for small letters. Databases
 * differ in that beyond English, so such a part is given in several spellings.
 */
export function contains(
  db: Database,
  text: RawBuilder<string>,
  parts: readonly string[],
): RawBuilder<SqlBool> {
  const place = sql.raw<number>(isSqlite(db) ? 'instr' : 'strpos');
  const each = parts.map((part) => sql`${place}(lower(${text}), ${part}) > 0`);
  return sql`(${sql.join(each, sql` or `)})`;
}

/** An insertion of at least one row. All rows must name the same columns in the same order. */
export function insertionOf<Schema, T extends keyof Schema & string>(
  db: Kysely<Schema>,
  table: T,
  rows: ReadonlyArray<Insertable<Schema[T]>>,
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
  // Without a condition SQLite would read `on conflict` as the condition of a join.
  return sql`${into} select ${sql.join(values)} from json_each(${lists}) where true`;
}
