import { statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { migrationFiles } from '../driver/migrations.ts';
import type { KnownKey } from '../tables/tables.ts';

/** One SQLite file that is a copy, or is about to be one: what is wrong with it, what it holds, and its mark. */

/** What a copy holds, and which keys can read it. */
export interface CopyFacts {
  bytes: number;
  schema: number;
  /** Those that live. */
  grants: number;
  mappings: number;
  keys: KnownKey[];
  epoch: number;
}

/** Everything that SQLite may keep beside a file. */
export const COMPANIONS = ['-wal', '-shm', '-journal'] as const;

const OURS = ['apps', 'grants', 'mappings', 'events'];

function hasTable(db: Sqlite.Database, name: string): boolean {
  const found = db.prepare("select 1 from sqlite_master where type = 'table' and name = ?").get(name);
  return found !== undefined;
}

function schemaOf(db: Sqlite.Database): number {
  return db.pragma('user_version', { simple: true }) as number;
}

function requireOurs(db: Sqlite.Database, name: string): void {
  const schema = schemaOf(db);
  if (schema === 0 || !OURS.every((table) => hasTable(db, table)))
    throw new Error(`${name} is not a database of the bridge`);
  const newest = migrationFiles('sqlite').at(-1)?.number ?? 0;
  if (schema > newest)
    throw new Error(
      `${name} was written by a newer version: it has schema ${schema}, this version knows ${newest}`,
    );
}

/**
 * Checks that a file is a whole database of the bridge.
 * @throws {Error} in plain words; `name` is what the file is called there
 */
export function requireWhole(db: Sqlite.Database, name: string): void {
  requireOurs(db, name);
  const damage = String(db.pragma('integrity_check(1)', { simple: true }));
  if (damage !== 'ok') throw new Error(`${name} is damaged: ${damage}`);
  const broken = (db.pragma('foreign_key_check') as Array<{ table: string }>)[0];
  if (broken) throw new Error(`${name} is damaged: a row of ${broken.table} names one that is not there`);
}

/** From here on the file is a copy. One with a schema from before copies were told apart is marked when it is restored. */
export function markFileAsCopy(db: Sqlite.Database): void {
  if (hasTable(db, 'instance')) db.prepare("update instance set state = 'copy'").run();
}

/** What the file holds. */
export function factsOf(db: Sqlite.Database): CopyFacts {
  const number = (sql: string) => db.prepare(sql).pluck().get() as number;
  const isTold = hasTable(db, 'instance');
  return {
    bytes: statSync(db.name).size,
    schema: schemaOf(db),
    grants: number("select count(*) from grants where state <> 'dead'"),
    mappings: number('select count(*) from mappings'),
    keys: isTold
      ? (db.prepare("select * from keys where state <> 'dropped' order by purpose, id").all() as KnownKey[])
      : [],
    epoch: isTold ? number('select epoch from instance') : 0,
  };
}

/** Whether SQLite finds a file damaged, or no database at all. */
export function isDamage(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^SQLITE_(CORRUPT|NOTADB)/.test(code);
}

/**
 * Works on a copy as one file, without anything beside it.
 * @throws {Error} in plain words where SQLite finds it damaged; `name` is what it is called there
 */
export function onOneFile<T>(path: string, name: string, work: (db: Sqlite.Database) => T): T {
  const db = new Sqlite(path, { fileMustExist: true });
  try {
    db.pragma('journal_mode = delete');
    return work(db);
  } catch (cause) {
    throw isDamage(cause) ? new Error(`${name} is damaged: ${(cause as Error).message}`, { cause }) : cause;
  } finally {
    db.close();
  }
}
