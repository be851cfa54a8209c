import pg from 'pg';
import { Sqlite } from '../../../src/shared/sqlite.ts';

/** A schema in words that both databases share, each list in order. */
export interface Schema {
  /** Each column with its type, whether it is a part of the primary key, may be null, or fills itself. */
  columns: string[];
  references: string[];
  /** Beyond those of primary keys, without their names. */
  indexes: string[];
}

interface Column {
  tab: string;
  col: string;
  type: string;
  is_key: boolean | number;
  is_nullable: boolean | number;
  has_default: boolean | number;
}

interface Index {
  tab: string;
  cols: string;
  is_unique: boolean | number;
  is_partial: boolean | number;
}

const inWords = {
  column: ({ tab, col, type, ...flags }: Column) =>
    [
      `${tab}.${col} ${/int/i.test(type) ? 'number' : type.toLowerCase()}`,
      flags.is_key ? 'key' : '',
      flags.is_nullable ? 'or null' : '',
      flags.has_default ? 'or filled' : '',
    ]
      .filter(Boolean)
      .join(' '),
  index: ({ tab, cols, ...flags }: Index) =>
    `${flags.is_unique ? 'unique ' : ''}${tab} (${cols})${flags.is_partial ? ' of some' : ''}`,
};

function schemaOf(found: { columns: Column[]; references: string[]; indexes: Index[] }): Schema {
  return {
    columns: found.columns.map(inWords.column).toSorted(),
    references: found.references.toSorted(),
    indexes: found.indexes.map(inWords.index).toSorted(),
  };
}

/** The index of the letters in names, `people_grams`, is each database's own (docs/decisions/0030). */

/** A column `integer primary key` fills itself; text keys of a strict table may not be null. */
const SQLITE = {
  columns: `
    select m.name as tab, c.name as col, c.type, c.pk > 0 as is_key, c."notnull" = 0 and c.pk = 0 as is_nullable,
      c.dflt_value is not null or (c.pk > 0 and c.type = 'INTEGER') as has_default
    from sqlite_master m join pragma_table_info(m.name) c
    where m.type = 'table' and m.name not like 'sqlite%' and m.name not like 'people_grams%'
      and m.name <> 'schema_version'`,
  references: `
    select m.name || '.' || f."from" || ' -> ' || f."table" || '.' || f."to"
    from sqlite_master m join pragma_foreign_key_list(m.name) f where m.type = 'table'`,
  indexes: `
    select m.name as tab, i."unique" as is_unique, i.partial as is_partial,
      (select group_concat(c.name, ', ') from pragma_index_info(i.name) c) as cols
    from sqlite_master m join pragma_index_list(m.name) i where m.type = 'table' and i.origin <> 'pk'
      and m.name not like 'people_grams%'`,
};

/** The schema of one SQLite file. */
export function sqliteSchema(file: string): Schema {
  const handle = new Sqlite(file, { readonly: true });
  const all = <Row>(sql: string) => handle.prepare(sql).all() as Row[];
  const columns = all<Column>(SQLITE.columns);
  const references = handle.prepare(SQLITE.references).pluck().all() as string[];
  const indexes = all<Index>(SQLITE.indexes);
  handle.close();
  return schemaOf({ columns, references, indexes });
}

/** Expressions, and the condition of a partial index, are not compared. */
const COLUMNS_OF_INDEX = `
  (select string_agg(a.attname, ', ' order by k.n) from unnest(i.indkey::int2[]) with ordinality k(num, n)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.num)`;

const POSTGRES = {
  columns: `
    select t.relname as tab, a.attname as col, format_type(a.atttypid, a.atttypmod) as type,
      coalesce(a.attnum = any (i.indkey), false) as is_key, not a.attnotnull as is_nullable,
      a.atthasdef or a.attidentity <> '' as has_default
    from pg_class t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    left join pg_index i on i.indrelid = t.oid and i.indisprimary
    where t.relkind = 'r' and t.relnamespace = 'public'::regnamespace and t.relpersistence = $1
      and t.relname <> 'schema_version'`,
  references: `
    select f.conrelid::regclass || '.' || a.attname || ' -> ' || f.confrelid::regclass || '.' || b.attname as text
    from pg_constraint f join pg_class t on t.oid = f.conrelid and t.relpersistence = $1
    join pg_attribute a on a.attrelid = f.conrelid and a.attnum = f.conkey[1]
    join pg_attribute b on b.attrelid = f.confrelid and b.attnum = f.confkey[1]
    where f.contype = 'f'`,
  indexes: `
    select t.relname as tab, i.indisunique as is_unique, i.indpred is not null as is_partial, ${COLUMNS_OF_INDEX} as cols
    from pg_index i join pg_class t on t.oid = i.indrelid and t.relpersistence = $1
    where t.relnamespace = 'public'::regnamespace and not i.indisprimary
      and i.indexrelid::regclass::text <> 'people_grams'`,
};

/** The schema of the logged or of the unlogged tables of a PostgreSQL database. */
export async function postgresSchema(url: string, persistence: 'logged' | 'unlogged'): Promise<Schema> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const parameters = [persistence === 'logged' ? 'p' : 'u'];
  const columns = await client.query<Column>(POSTGRES.columns, parameters);
  const references = await client.query<{ text: string }>(POSTGRES.references, parameters);
  const indexes = await client.query<Index>(POSTGRES.indexes, parameters);
  await client.end();
  return schemaOf({
    columns: columns.rows,
    references: references.rows.map(({ text }) => text),
    indexes: indexes.rows,
  });
}
