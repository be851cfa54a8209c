import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type pg from 'pg';
import { Sqlite } from '../../../shared/sqlite.ts';
import { presentNumber, stepsAtServer } from './migrate-postgres.ts';
import { migrationFiles, stepsOf } from './migrations.ts';
import { type DatabaseLocation, describeLocation } from '../open-store.ts';
import { onOneConnection, READ_LIMIT } from '../postgres-connection.ts';
import { withNextStep } from '../refused-access.ts';
import { volatileFileOf } from '../sqlite.ts';
import { isUsable, type SchemaStep } from './works-from.ts';

/** The schema of a database, read without changing the database. */
export interface SchemaState {
  /** Undefined when no database of the bridge exists there. */
  present: number | undefined;
  /** The schema that this version of the program produces. */
  newest: number;
  /** False where a newer version wrote the database and this one does not work with it. */
  isUsable: boolean;
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

/** What a database tells of its schema: 0 and no steps where there is none of the bridge. */
interface ToldSchema {
  present: number;
  steps: SchemaStep[];
}

function toldIn(file: string): ToldSchema {
  const database = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 5000 });
  try {
    const present = database.pragma('user_version', { simple: true }) as number;
    return { present, steps: stepsOf(database) };
  } finally {
    database.close();
  }
}

function readSqlite(file: string): ToldSchema {
  try {
    return existsSync(file) ? toldIn(file) : { present: 0, steps: [] };
  } catch (cause) {
    throw new Error(`DATABASE_URL: ${file} cannot be opened: ${withNextStep(cause)}`, { cause });
  }
}

async function readPostgres(url: string): Promise<ToldSchema> {
  let told: ToldSchema = { present: 0, steps: [] };
  const look = async (client: pg.Client) => {
    const present = await presentNumber(client);
    told = { present, steps: present === 0 ? [] : await stepsAtServer(client) };
  };
  await onOneConnection(url, look, READ_LIMIT);
  return told;
}

const namesAfter = (folder: string, present: number) =>
  migrationFiles(folder)
    .filter(({ number }) => number > present)
    .map(({ path }) => basename(path, '.sql'));

/** Where the migrations of a database stand: its kind, or `sqlite-volatile` for the file beside. */
export type MigrationFolder = DatabaseLocation['kind'] | 'sqlite-volatile';

export const newestOf = (folder: MigrationFolder): number => migrationFiles(folder).at(-1)?.number ?? 0;

/** The schema of one database. */
export interface OneSchema {
  /** The number of the last migration; 0 where there is no database of the bridge. */
  present: number;
  /** False where a newer version wrote the database and this one does not work with it. */
  isUsable: boolean;
}

/**
 * The schema of one database, by the migrations of `folder`. Only reads.
 * @throws {Error} in plain words when the database cannot be read
 */
export async function readOneSchema(location: DatabaseLocation, folder: MigrationFolder): Promise<OneSchema> {
  const told = location.kind === 'sqlite' ? readSqlite(location.file) : await readPostgres(location.url);
  return { present: told.present, isUsable: isUsable(told.present, newestOf(folder), told.steps) };
}

const NONE_BESIDE = { beside: [], lacksVolatile: false, isBesideUsable: true };

/** The state of the volatile file beside a SQLite database. */
async function readBeside(durable: string) {
  const file = volatileFileOf(durable);
  const read = await readOneSchema({ kind: 'sqlite', file }, 'sqlite-volatile');
  const beside = namesAfter('sqlite-volatile', read.present);
  return { beside, lacksVolatile: !existsSync(file), isBesideUsable: read.isUsable };
}

/** @throws {Error} in plain words when the database cannot be read */
export async function readSchema(location: DatabaseLocation): Promise<SchemaState> {
  const { kind } = location;
  const one = await readOneSchema(location, kind);
  const { beside, lacksVolatile, isBesideUsable } =
    kind === 'sqlite' ? await readBeside(location.file) : NONE_BESIDE;
  const isBehind = one.present > 0 && !lacksVolatile;
  return {
    present: one.present === 0 ? undefined : one.present,
    newest: newestOf(kind),
    isUsable: one.isUsable && isBesideUsable,
    waiting: [...namesAfter(kind, one.present), ...(isBehind ? beside : [])],
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
  return `DATABASE_URL: ${behind}. Only migrate and serve change the schema. To see whether processes of the older version may go on: grantbridge migrate --plan. To change the schema: grantbridge migrate`;
}
