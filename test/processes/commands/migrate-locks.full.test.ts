import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { migrationFiles } from '../../../src/store/driver/schema/migrations.ts';
import { freshDatabase, type TestDatabase } from '../../support/database/database.ts';
import { until } from '../../support/servers/held-answer.ts';
import { buildProgram } from '../running-program.ts';

/** `migrate` on PostgreSQL beside a session that holds a lock, as a pg_dump does. */

const PROGRAM = resolve(import.meta.dirname, '../../../dist/program/cli.js');

/** The next migration drops a trigger of `mappings`, for which nobody else may read that table. */
const BEFORE = 37;

const NEWEST = migrationFiles('postgres').at(-1)?.number;

const varDir = mkdtempSync(join(tmpdir(), 'migrate-locks-'));
let database: TestDatabase;
let dump: pg.Client;
let caller: pg.Client;

async function session(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  return client;
}

beforeAll(buildProgram, 120_000);
afterAll(() => rmSync(varDir, { recursive: true }));

beforeEach(async () => {
  database = await freshDatabase();
  [dump, caller] = [await session(), await session()];
  await dump.query('create table schema_version (number integer not null)');
  for (const { number, path } of migrationFiles('postgres'))
    if (number <= BEFORE) await dump.query(readFileSync(path, 'utf8'));
  await dump.query('insert into schema_version (number) values ($1)', [BEFORE]);
  await dump.query('begin; lock table mappings in access share mode');
  // As a bridge waits for a lock, and no longer.
  await caller.query('set lock_timeout = 5000');
});

afterEach(async () => {
  await Promise.all([dump.end(), caller.end()]);
  await database.drop();
});

function startMigrate() {
  const child = spawn(process.execPath, [PROGRAM, 'migrate'], {
    env: {
      PATH: process.env['PATH'],
      VAR_DIR: varDir,
      DATABASE_URL: database.url,
      MODERN_AUTH_URL: 'http://127.0.0.1:9',
      MODERN_API_URL: 'http://127.0.0.1:9',
      MODERN_CLIENT_ID: 'bridge',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { output: '', complaints: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.complaints += text));
  return { said, ended: once(child, 'close').then(([code]) => code as number | null) };
}

const presentNumber = async () =>
  (await caller.query<{ n: number }>('select max(number) as n from schema_version')).rows[0]?.n;

/** What the migrations after it add first. */
const isBegun = async () =>
  (await caller.query<{ name: string | null }>("select to_regclass('told_lists') as name")).rows[0]?.name !==
  null;

const timesIn = (text: string) => text.split('holds a lock that the migration needs').length - 1;

test('a lock that is held for a while is waited for in pieces, between which calls are answered', async () => {
  const { said, ended } = startMigrate();
  await until(() => timesIn(said.complaints) >= 2, 60_000);
  await caller.query('select count(*) from mappings');
  expect(await presentNumber()).toBe(BEFORE);
  await dump.query('commit');
  expect(await ended).toBe(0);
  expect(said.output).toContain(`from schema ${BEFORE} to the newest schema, ${NEWEST}.`);
  expect(await presentNumber()).toBe(NEWEST);
}, 90_000);

test('a lock that is never given back ends the command with 1, in words, and nothing is changed', async () => {
  const { said, ended } = startMigrate();
  expect(await ended).toBe(1);
  const lines = said.complaints.trimEnd().split('\n');
  expect(lines.at(-1)).toMatch(
    /^DATABASE_URL: another session of the database holds a lock .* each of 10 attempts, and nothing was changed\. When it has ended, migrate again$/,
  );
  expect(timesIn(said.complaints)).toBe(10);
  expect([said.output, await presentNumber(), await isBegun()]).toEqual(['', BEFORE, false]);
}, 90_000);
