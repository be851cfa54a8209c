import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import pg from 'pg';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import type { DatabaseLocation } from '../../../src/store/driver/open-store.ts';
import { childrenOf, visibleOf } from '../start/process-list.ts';
import type { Place } from './search.ts';

/** What a system keeps and shows of itself: files, rows, command lines. */

/** Files that hold secrets by design, and the embedded modern generation's own, which keeps its own rules. */
const MAY_HOLD_SECRETS = /^(keys\.json|modern-client\.json|modern\.db.*)$/;

/** Every file below a folder, byte by byte. */
export function filesBelow(folder: string): Place[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !MAY_HOLD_SECRETS.test(entry.name))
    .map(({ name, parentPath }) => ({
      where: `the file ${name}`,
      text: readFileSync(join(parentPath, name), 'latin1'),
    }));
}

function rowsOfFile(file: string): Place[] {
  const db = new Sqlite(file, { readonly: true });
  const names = db.prepare("select name from sqlite_master where type = 'table'").pluck().all() as string[];
  const places = names.map((name) => ({
    where: `the table ${name} of ${basename(file)}`,
    text: JSON.stringify(db.prepare(`select * from ${name}`).all()),
  }));
  db.close();
  return places;
}

async function rowsOfServer(url: string): Promise<Place[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const tables = await client.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  );
  const places: Place[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await client.query<object>(`select * from ${name}`);
    places.push({ where: `the table ${name}`, text: JSON.stringify(rows) });
  }
  await client.end();
  return places;
}

/** Every row of every table; of SQLite its files too, with what their free pages still hold. */
export async function keptIn(database: DatabaseLocation): Promise<Place[]> {
  if (database.kind === 'postgres') return rowsOfServer(database.url);
  const files = [database.file, database.file.replace(/\.db$/, '-volatile.db')];
  return [
    ...files.filter((file) => existsSync(file)).flatMap(rowsOfFile),
    ...filesBelow(dirname(database.file)),
  ];
}

/** The command lines of a process and all that it started. */
export function commandLinesOf(pid: number): Place[] {
  const own = { where: `the command line of process ${pid}`, text: visibleOf(pid).commandLine };
  return [own, ...childrenOf(pid).flatMap(commandLinesOf)];
}
