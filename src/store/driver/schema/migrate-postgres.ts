import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { createLogger } from '../../../shared/log/logger.ts';
import { PlainWords } from '../../../shared/log/redaction.ts';
import { migrationFiles } from './migrations.ts';
import { declaredIn, requireUsableSchema, type SchemaStep } from './works-from.ts';

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

/** The migrations that the database tells of. One from before there were declarations declares nothing. */
export async function stepsAtServer(client: pg.Client): Promise<SchemaStep[]> {
  const { rows } = await client.query<Partial<SchemaStep> & { number: number }>(
    'select * from schema_version',
  );
  return rows.map(({ number, works_from = null }) => ({ number, works_from }));
}

async function requireKnown(client: pg.Client, present: number): Promise<void> {
  if (present > newestNumber()) requireUsableSchema(present, newestNumber(), await stepsAtServer(client));
}

/**
 * Whether a database has the schema of this version, or a newer one with which this version works. If so, the database
 * is opened without the lock of the migrations.
 * @throws {Error} when a newer version wrote the database and this one does not work with it
 */
export async function isNewEnough(client: pg.Client): Promise<boolean> {
  const present = await presentNumber(client);
  await requireKnown(client, present);
  return present >= newestNumber();
}

async function applyOne(
  client: pg.Client,
  { number, path }: { number: number; path: string },
): Promise<void> {
  const sql = readFileSync(path, 'utf8');
  const worksFrom = declaredIn(sql);
  await client.query(sql);
  if (worksFrom === undefined)
    await client.query('insert into schema_version (number) values ($1)', [number]);
  else
    await client.query('insert into schema_version (number, works_from) values ($1, $2)', [
      number,
      worksFrom,
    ]);
}

async function applyNewer(client: pg.Client): Promise<void> {
  await client.query('create table if not exists schema_version (number integer not null)');
  const current = await presentNumber(client);
  await requireKnown(client, current);
  for (const file of migrationFiles('postgres')) if (file.number > current) await applyOne(client, file);
}

/**
 * How long a migration waits for one lock, in milliseconds. Calls of running bridges queue behind it meanwhile, and fail
 * after five seconds. The building of an index and the checking of rows are no waiting, and have no limit.
 */
const LOCK_WAIT = 2000;

/** In the pause the calls that queued are answered. */
const [ATTEMPTS, PAUSE] = [10, 1000];

async function migrateOnce(client: pg.Client): Promise<void> {
  await client.query('begin');
  await client.query('select pg_advisory_xact_lock($1)', [ONE_AT_A_TIME]);
  // Only now: the migration of another starter may take long.
  await client.query(`set local lock_timeout = ${LOCK_WAIT}`);
  await applyNewer(client);
  await client.query('commit');
}

/** A lock did not come in time (SQLSTATE 55P03), or two sessions waited for each other (40P01). */
const isLockedOut = (error: unknown) =>
  ['55P03', '40P01'].includes(String((error as { code?: unknown }).code));

const HELD =
  'another session of the database holds a lock that the migration needs. It may be a pg_dump, or a transaction that was left open';

const log = (words: string) => createLogger({ level: 'warn', name: 'migration' }).warn(words);

/**
 * Brings a PostgreSQL database to the newest schema, in one transaction: two starters, or a crash in between, leave a
 * whole schema. An attempt that meets the lock of another session leaves no changes and is repeated some times.
 * @throws {Error} when a newer version wrote the database and this one does not work with it
 * @throws {PlainWords} when another session held a lock at every attempt
 */
export async function migratePostgres(client: pg.Client): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await migrateOnce(client);
      return;
    } catch (cause) {
      if (!isLockedOut(cause)) throw cause;
      await client.query('rollback');
      if (attempt >= ATTEMPTS)
        throw new PlainWords(
          `${HELD}. It held the lock at each of ${ATTEMPTS} attempts, and nothing was changed. When it has ended, migrate again`,
          { cause },
        );
      log(`${HELD}. Attempt ${attempt} of ${ATTEMPTS} changed nothing, and the next one follows`);
      await delay(PAUSE);
    }
  }
}
