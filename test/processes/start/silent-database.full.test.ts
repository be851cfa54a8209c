import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freshDatabase, type TestDatabase } from '../../support/database/database.ts';
import { run, runJson } from '../commands/operator-command.ts';
import { buildProgram, type Settings } from '../running-program.ts';

/** A database that takes connections while somebody holds a lock there: no command waits for ever, and none keeps silent. */

const folder = mkdtempSync(join(tmpdir(), 'silent-database-'));
let database: TestDatabase;
let holder: pg.Client;
let settings: Settings;

beforeAll(async () => {
  await buildProgram();
  database = await freshDatabase();
  settings = {
    VAR_DIR: folder,
    DATABASE_URL: database.url,
    MODERN_AUTH_URL: 'http://127.0.0.1:9',
    MODERN_API_URL: 'http://127.0.0.1:9',
    MODERN_CLIENT_ID: 'bridge',
  };
  expect((await run(settings, 'migrate')).code).toBe(0);
}, 120_000);

beforeEach(async () => {
  holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  await holder.query('begin');
});

afterEach(async () => {
  const ended = once(holder, 'end');
  await holder.end();
  await ended;
});

afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

test('a command on the newest schema does not wait for whoever migrates', async () => {
  await holder.query('select pg_advisory_xact_lock(4917203)');
  expect(await run(settings, 'apps', 'list')).toMatchObject({ code: 0, complaints: '' });
});

test('nor does a command of a version that is older than the schema', async () => {
  await holder.query('select pg_advisory_xact_lock(4917203)');
  const newer = new pg.Client({ connectionString: database.url });
  await newer.connect();
  await newer.query('insert into schema_version (number) values (999)');
  const { code, complaints } = await run(settings, 'apps', 'list');
  await newer.query('delete from schema_version where number = 999');
  await newer.end();
  expect({ code, complaints }).toEqual({
    code: 1,
    complaints: expect.stringContaining('DATABASE_URL: the database has schema 999, this version') as string,
  });
});

test('where the schema cannot be read each command ends with 1 and says so', async () => {
  await holder.query('lock table schema_version in access exclusive mode');
  const words = /DATABASE_URL: the server takes the connection and does not answer, or another program holds/;
  const { code, complaints } = await run(settings, 'apps', 'list');
  expect({ code, complaints }).toEqual({ code: 1, complaints: expect.stringMatching(words) as string });
  const { json } = await runJson(settings, 'doctor');
  const { findings } = json as { findings: Array<Record<'check' | 'state' | 'detail', string>> };
  expect(findings.find(({ check }) => check === 'database')).toEqual({
    check: 'database',
    state: 'failed',
    detail: expect.stringMatching(words) as string,
  });
});

test('what is locked behind the schema is told with the name of the setting', async () => {
  await holder.query('lock table instance in access exclusive mode');
  const { code, complaints } = await run(settings, 'apps', 'list');
  expect({ code, complaints }).toEqual({
    code: 1,
    complaints: 'DATABASE_URL: canceling statement due to lock timeout\n',
  });
});
