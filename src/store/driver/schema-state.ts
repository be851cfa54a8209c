import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import Sqlite from 'better-sqlite3';
import type pg from 'pg';
import { presentNumber } from './migrate-postgres.ts';
import { migrationFiles } from './migrations.ts';
import { type DatabaseLocation, describeLocation } from './open-store.ts';
import { onOneConnection, READ_LIMIT } from './postgres-connection.ts';
import { volatileFileOf } from './sqlite.ts';

/** The schema of a database, read without changing the database. */
export interface SchemaState {
  /** Undefined when no database of the bridge exists there. */
  present: number | undefined;
  /** The schema that this version of the program produces. */
  newest: number;
  /** The pending migrations, by the names of their files. */
  waiting: string[];
  /**
   * The migrations that the volatile SQLite file beside the database gets when the database is opened. A missing file is
   * made then, so nothing waits for it.
   */
  beside: string[];
  /** Whether there is no volatile SQLite file beside the database. */
  lacksVolatile: boolean;
}

function versionOf(file: string): number {
  const database = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 5000 });
  try {
    return database.pragma('user_version', { simple: true }) as number;
  } finally {
    database.close();
  }
}

function readSqlite(file: string): number {
  try {
    return existsSync(file) ? versionOf(file) : 0;
  } catch (cause) {
    throw new Error(`DATABASE_URL: ${file} cannot be opened: ${(cause as Error).message}`, { cause });
  }
}

async function readPostgres(url: string): Promise<number> {
  let present = 0;
  const look = async (client: pg.Client) => void (present = await presentNumber(client));
  await onOneConnection(url, look, READ_LIMIT);
  return present;
}

const namesAfter = (folder: string, present: number) =>
  migrationFiles(folder)
    .filter(({ number }) => number > present)
    .map(({ path }) => basename(path, '.sql'));

const NONE_BESIDE = { beside: [], lacksVolatile: false };

/** The state of the volatile file beside a SQLite database. */
function readBeside(file: string): Pick<SchemaState, 'beside' | 'lacksVolatile'> {
  const volatile = volatileFileOf(file);
  return {
    beside: namesAfter('sqlite-volatile', readSqlite(volatile)),
    lacksVolatile: !existsSync(volatile),
  };
}

/**
 * The number of the last migration in a database; 0 where there is none of the bridge. Only reads.
 * @throws {Error} in plain words when the database cannot be read
 */
export async function readSchemaNumber(location: DatabaseLocation): Promise<number> {
  return location.kind === 'sqlite' ? readSqlite(location.file) : readPostgres(location.url);
}

/** @throws {Error} in plain words when the database cannot be read */
export async function readSchema(location: DatabaseLocation): Promise<SchemaState> {
  const { kind } = location;
  const present = await readSchemaNumber(location);
  const { beside, lacksVolatile } = kind === 'sqlite' ? readBeside(location.file) : NONE_BESIDE;
  const isBehind = present > 0 && !lacksVolatile;
  return {
    present: present === 0 ? undefined : present,
    newest: migrationFiles(kind).at(-1)?.number ?? 0,
    waiting: [...namesAfter(kind, present), ...(isBehind ? beside : [])],
    beside,
    lacksVolatile,
  };
}

/** Why a command that only uses a database cannot use this one, and how to proceed; undefined when the command can. */
export function schemaProblem(location: DatabaseLocation, state: SchemaState): string | undefined {
  const { present, newest, waiting, beside } = state;
  if (present === undefined)
    return `DATABASE_URL: there is no database of the bridge at ${describeLocation(location)}. If the database is somewhere else, set DATABASE_URL or VAR_DIR to the values of the bridge. To make a new database: grantbridge migrate`;
  if (waiting.length === 0) return undefined;
  const place = describeLocation(location);
  const behind =
    present === newest
      ? `the volatile database beside the one at ${place} has an older schema: ${beside.length} migrations wait`
      : `the database at ${place} has schema ${present}, and this version needs ${newest}: ${waiting.length} migrations wait`;
  return `DATABASE_URL: ${behind}. Only migrate and serve change the schema. Once no process of the older version runs: grantbridge migrate`;
}
