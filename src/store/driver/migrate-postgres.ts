import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { migrationFiles } from './migrations.ts';

/** An arbitrary number, the same for all starters, so that one starter migrates and the others wait. */
const ONE_AT_A_TIME = 4_917_203;

/**
 * The number of the last migration in the database, 0 when no migration ever ran. Only reads, and waits for no
 * migration.
 */
export async function presentNumber(client: pg.Client): Promise<number> {
  const table = await client.query<{ name: string | null }>("select to_regclass('schema_version') as name");
  if (typeof table.rows[0]?.name !== 'string') return 0;
  const { rows } = await client.query<{ number: number | null }>(
    'select max(number) as number from schema_version',
  );
  return rows[0]?.number ?? 0;
}

const newestNumber = () => migrationFiles('postgres').at(-1)?.number ?? 0;

/** @throws {Error} when a newer version than this one wrote the database */
function requireKnown(present: number): void {
  const newest = newestNumber();
  if (present > newest)
    throw new Error(
      `the database has schema ${present}, this version knows schemas up to ${newest}: a newer version wrote the database`,
    );
}

/**
 * Whether a database has the schema of this version. If so, the database is opened without the lock of the migrations.
 * @throws {Error} when a newer version than this one wrote the database
 */
export async function isNewest(client: pg.Client): Promise<boolean> {
  const present = await presentNumber(client);
  requireKnown(present);
  return present === newestNumber();
}

async function applyNewer(client: pg.Client): Promise<void> {
  const files = migrationFiles('postgres');
  await client.query('create table if not exists schema_version (number integer not null)');
  const current = await presentNumber(client);
  requireKnown(current);
  for (const file of files.filter(({ number }) => number > current)) {
    await client.query(readFileSync(file.path, 'utf8'));
    await client.query('insert into schema_version (number) values ($1)', [file.number]);
  }
}

/**
 * Brings a PostgreSQL database to the newest schema, in one transaction: two starters, or a crash in between, leave a
 * whole schema.
 * @throws {Error} when a newer version than this one wrote the database
 */
export async function migratePostgres(client: pg.Client): Promise<void> {
  await client.query('begin');
  await client.query('select pg_advisory_xact_lock($1)', [ONE_AT_A_TIME]);
  await applyNewer(client);
  await client.query('commit');
}
