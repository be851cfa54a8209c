import { statSync } from 'node:fs';
import { Sqlite } from '../../shared/sqlite.ts';
import { migrationFiles, stepsOf } from '../driver/schema/migrations.ts';
import { isUsable } from '../driver/schema/works-from.ts';
import type { KnownKey } from '../tables/tables.ts';

/** One SQLite file that is a copy or becomes a copy: its defects, its content, and its mark. */

/** The content of a copy, and the keys that can read the copy. */
export interface CopySummary {
  bytes: number;
  schema: number;
  /** Live grants. */
  grants: number;
  mappings: number;
  keys: KnownKey[];
  epoch: number;
}

/** Hears how far the work on a copy is. */
export interface CopyProgress {
  /** A step begins. */
  begin: (step: string) => void;
  /** How much of the step is done. `done` and `total` are in `unit`. A step that SQLite does in one piece tells nothing. */
  tell: (progress: { done: number; total: number; unit: string }) => void;
}

/** Nobody listens. */
export const UNHEARD: CopyProgress = { begin: () => undefined, tell: () => undefined };

/** All suffixes of files that SQLite may keep beside a database file. */
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
  if (!isUsable(schema, newest, stepsOf(db)))
    throw new Error(
      `${name} was written by a newer version: the file has schema ${schema}, this version knows schemas up to ${newest} and does not work with it`,
    );
}

/**
 * Checks that a file is a whole database of the bridge.
 * @throws {Error} in plain words; `name` names the file in the message
 */
export function requireWhole(db: Sqlite.Database, name: string): void {
  requireOurs(db, name);
  const damage = String(db.pragma('integrity_check(1)', { simple: true }));
  if (damage !== 'ok') throw new Error(`${name} is damaged: ${damage}`);
  const broken = (db.pragma('foreign_key_check') as Array<{ table: string }>)[0];
  if (broken) throw new Error(`${name} is damaged: a row of ${broken.table} names a row that does not exist`);
}

/** Marks the file as a copy. A file whose schema is too old for this mark is marked when the file is restored. */
export function markFileAsCopy(db: Sqlite.Database): void {
  if (hasTable(db, 'instance')) db.prepare("update instance set state = 'copy'").run();
}

/** The content of the file. */
export function factsOf(db: Sqlite.Database): CopySummary {
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

/** Whether SQLite reports a damaged file, or a file that is no database. */
export function isDamage(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^SQLITE_(CORRUPT|NOTADB)/.test(code);
}

/** The failure of work on the file `name`, in plain words where SQLite found damage. */
export const damageIn = (name: string, cause: unknown): unknown =>
  isDamage(cause) ? new Error(`${name} is damaged: ${(cause as Error).message}`, { cause }) : cause;

/**
 * Works on a copy as one file, without companion files.
 * @throws {Error} in plain words when SQLite finds damage; `name` names the file in the message
 */
export function onOneFile<T>(path: string, name: string, work: (db: Sqlite.Database) => T): T {
  const db = new Sqlite(path, { fileMustExist: true });
  try {
    db.pragma('journal_mode = delete');
    return work(db);
  } catch (cause) {
    throw damageIn(name, cause);
  } finally {
    db.close();
  }
}
