import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { migrationFiles } from '../../../src/store/driver/schema/migrations.ts';
import { freshDatabase } from '../../support/database/database.ts';
import { run } from '../commands/operator-command.ts';
import { buildProgram } from '../running-program.ts';

/** A database that holds grants and has the schema of before copies were told apart (docs/decisions/0010). */

const folder = mkdtempSync(join(tmpdir(), 'older-schema-'));
const NOWHERE = 'http://127.0.0.1:9';
const modern = { MODERN_AUTH_URL: NOWHERE, MODERN_API_URL: NOWHERE, MODERN_CLIENT_ID: 'bridge' };

beforeAll(buildProgram, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

const older = (kind: 'sqlite' | 'postgres') =>
  migrationFiles(kind)
    .filter(({ number }) => number <= 2)
    .map(({ path }) => readFileSync(path, 'utf8'))
    .join('\n');

const ROWS = `
  insert into apps (client_id, name, source, created_at) values ('a1', 'A', 'registered', 0);
  insert into accounts (account_id, updated_at) values ('b1', 0);
  insert into grants (id, client_id, account_id, modern_client_id, state, version, scope, access_expires_at, refresh_at,
    created_at, updated_at) values ('g1', 'a1', 'b1', 'bridge', 'ready', 1, 'account:read', 0, 0, 0, 0);
`;

test('migrate of one on PostgreSQL says what to do if it is a restored dump', async () => {
  const database = await freshDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const number =
      'create table schema_version (number integer not null); insert into schema_version values (2);';
    await client.query(older('postgres') + ROWS + number);
    const settings = { ...modern, VAR_DIR: join(folder, 'dump'), DATABASE_URL: database.url };
    const words = 'if this is a restored dump, mark it as a copy before any bridge starts';
    expect((await run(settings, 'migrate')).complaints).toContain(words);
    expect((await run(settings, 'migrate')).complaints).toBe('');
  } finally {
    await client.end();
    await database.drop();
  }
});

test('one on SQLite beside the memory of another database is a copy, and one without any memory is none', async () => {
  const settings = { ...modern, VAR_DIR: folder };
  const db = new Sqlite(join(folder, 'bridge.db'));
  db.exec(older('sqlite') + ROWS);
  db.pragma('user_version = 2');
  db.close();
  const memory = join(folder, 'epoch.json');
  writeFileSync(memory, '{"instance":"another","epoch":9}');
  await run(settings, 'migrate');
  const copy = await run(settings, 'doctor');
  expect(copy.output).toMatch(/^FAILED {2}instance: .*this one may be a copy from before the upgrade/m);
  expect(readFileSync(memory, 'utf8')).toBe('{"instance":"another","epoch":9}');
  rmSync(memory);
  expect((await run(settings, 'doctor')).output).toMatch(/^ok {6}instance: this database is the original/m);
});
