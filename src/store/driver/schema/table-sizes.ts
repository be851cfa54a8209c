import { existsSync } from 'node:fs';
import type pg from 'pg';
import { Sqlite } from '../../../shared/sqlite.ts';
import type { DatabaseLocation } from '../open-store.ts';
import { onOneConnection, READ_LIMIT } from '../postgres-connection.ts';

/** The size of a table. */
export interface TableSize {
  table: string;
  /** Counted in SQLite; in PostgreSQL an estimate of the server, null where the server has none yet. */
  rows: number | null;
  /** With its indexes; null in SQLite, which does not keep it. */
  bytes: number | null;
}

function sizesInFile(file: string, tables: readonly string[]): TableSize[] {
  if (!existsSync(file)) return [];
  const database = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 5000 });
  try {
    const isThere = database.prepare("select 1 from sqlite_master where type = 'table' and name = ?");
    return tables
      .filter((table) => isThere.get(table) !== undefined)
      .map((table) => {
        const rows = database.prepare(`select count(*) from "${table}"`).pluck().get() as number;
        return { table, rows, bytes: null };
      });
  } finally {
    database.close();
  }
}

const SIZES = `select relname as table, nullif(reltuples, -1)::float8 as rows, pg_total_relation_size(oid)::float8 as bytes
  from pg_class where relkind = 'r' and pg_table_is_visible(oid) and relname = any($1) order by relname`;

async function sizesAtServer(url: string, tables: readonly string[]): Promise<TableSize[]> {
  let sizes: TableSize[] = [];
  const look = async (client: pg.Client) =>
    void (sizes = (await client.query<TableSize>(SIZES, [tables])).rows);
  await onOneConnection(url, look, READ_LIMIT);
  return sizes;
}

/** The sizes of those of the tables that exist. Changes nothing. */
export async function readTableSizes(
  location: DatabaseLocation,
  tables: readonly string[],
): Promise<TableSize[]> {
  if (tables.length === 0) return [];
  return location.kind === 'sqlite'
    ? sizesInFile(location.file, tables)
    : sizesAtServer(location.url, tables);
}
