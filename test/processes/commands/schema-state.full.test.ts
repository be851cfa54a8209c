import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { migrationFiles } from '../../../src/store/driver/schema/migrations.ts';
import type { DatabaseKind } from '../../store/support/stores.ts';
import { databasesOf } from '../../support/jest/test-mode.ts';
import { freshDatabase, type TestDatabase } from '../../support/database/database.ts';
import { add, run, runJson } from './operator-command.ts';
import { buildProgram, type Settings } from '../running-program.ts';

/** No command but `migrate` and `serve` makes a database or changes its schema, on either kind. */

const folder = mkdtempSync(join(tmpdir(), 'schema-state-'));
const modern = {
  MODERN_AUTH_URL: 'http://127.0.0.1:9',
  MODERN_API_URL: 'http://127.0.0.1:9',
  MODERN_CLIENT_ID: 'bridge',
};
const COMMANDS = [
  ['tokens', 'find', 'holder@example.org'],
  ['apps', 'list'],
  add('App', 'https://app.example/callback', 'o@app.example'),
  ['keys', 'list'],
  ['keys', 'add'],
  ['history', 'verify'],
  ['history', 'export'],
  ['dates', 'show'],
  ['reminders', 'plan'],
  ['shadow'],
  ['restore', '--take-over'],
];

beforeAll(buildProgram, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

const newestOf = (kind: DatabaseKind) => migrationFiles(kind).at(-1)?.number ?? 0;

/** The newest schema but for its last migration. */
const older = (kind: DatabaseKind) =>
  migrationFiles(kind)
    .slice(0, -1)
    .map(({ path }) => readFileSync(path, 'utf8'));

describe.each(databasesOf('postgres'))('on %s', (kind) => {
  let settings: Settings;
  let database: TestDatabase | undefined;

  beforeAll(async () => {
    settings = { ...modern, VAR_DIR: join(folder, kind) };
    if (kind === 'sqlite') return;
    database = await freshDatabase();
    settings = { ...settings, DATABASE_URL: database.url };
  });

  afterAll(() => database?.drop());

  async function onServer<T extends pg.QueryResultRow>(statement: string): Promise<T[]> {
    const client = new pg.Client({ connectionString: database?.url });
    await client.connect();
    const { rows } = await client.query<T>(statement);
    await client.end();
    return rows;
  }

  const file = () => join(folder, kind, 'bridge.db');

  function inFile<T>(work: (db: Sqlite.Database) => T): T {
    const db = new Sqlite(file());
    try {
      return work(db);
    } finally {
      db.close();
    }
  }

  async function presentNumber(): Promise<number | null> {
    if (kind === 'sqlite')
      return existsSync(file())
        ? inFile((db) => db.pragma('user_version', { simple: true }) as number)
        : null;
    const [table] = await onServer<{ name: string | null }>("select to_regclass('schema_version') as name");
    if (typeof table?.name !== 'string') return null;
    return (await onServer<{ number: number }>('select max(number) as number from schema_version'))[0]
      ?.number as number;
  }

  async function doctorSays() {
    const { json } = await runJson(settings, 'doctor');
    const { findings } = json as { findings: Array<Record<'check' | 'state' | 'detail', string>> };
    const { state, detail } = findings.find(({ check }) => check === 'database') ?? {};
    return { state, detail };
  }

  test('where there is no database each says so with the next step, and none is made', async () => {
    for (const command of COMMANDS) {
      const { code, output, complaints } = await run(settings, ...command);
      expect({ command, code, output }).toEqual({ command, code: 1, output: '' });
      expect(complaints).toMatch(
        /^DATABASE_URL: there is no database of the bridge at .*: grantbridge migrate\n$/,
      );
    }
    expect(await presentNumber()).toBeNull();
    expect(existsSync(join(folder, kind, 'keys.json'))).toBe(false);
    const { code, json } = await runJson(settings, 'migrate', '--status');
    expect({ code, json }).toMatchObject({ code: 0, json: { schema: null, newest: newestOf(kind) } });
    expect(await doctorSays()).toEqual({
      state: 'not looked at',
      detail: expect.stringMatching(/holds no database of the bridge yet.*: grantbridge migrate$/) as string,
    });
    expect(await presentNumber()).toBeNull();
  });

  test('one with an older schema is left as it is, and migrate --status names what waits', async () => {
    const before = newestOf(kind) - 1;
    const last = migrationFiles(kind).at(-1)?.path.split('/').at(-1)?.replace('.sql', '');
    expect((await run(settings, 'migrate')).code).toBe(0);
    if (kind === 'sqlite') {
      rmSync(file());
      inFile((db) => {
        for (const text of older(kind)) db.exec(text);
        db.pragma(`user_version = ${before}`);
      });
    } else {
      const table = 'create table schema_version (number integer not null)';
      const number = `insert into schema_version (number) values (${before})`;
      await onServer('drop schema public cascade; create schema public');
      await onServer([table, ...older(kind), number].join(';\n'));
    }
    for (const command of COMMANDS) {
      const { code, output, complaints } = await run(settings, ...command);
      expect({ command, code, output }).toEqual({ command, code: 1, output: '' });
      expect(complaints).toContain(`has schema ${before}, and this version needs ${newestOf(kind)}`);
    }
    expect(await doctorSays()).toEqual({
      state: 'failed',
      detail: expect.stringMatching(
        new RegExp(`has schema ${before}, .*: grantbridge migrate --plan\\. .*: grantbridge migrate$`),
      ) as string,
    });
    const { code, json } = await runJson(settings, 'migrate', '--status');
    expect({ code, json }).toEqual({
      code: 0,
      json: {
        database: expect.any(String) as string,
        schema: before,
        newest: newestOf(kind),
        waiting: [last],
        usable: true,
      },
    });
    expect((await run(settings, 'migrate', '--status')).output).toContain(`Migrations that wait:\n  ${last}`);
    expect(await presentNumber()).toBe(before);
  });

  test('migrate brings it to the newest one, and commands work', async () => {
    // The rows of the older one knew no keys: those of the file are new to it.
    expect(await run(settings, 'migrate')).toMatchObject({ code: 0, complaints: '' });
    expect(await presentNumber()).toBe(newestOf(kind));
    expect((await run(settings, 'migrate', '--status')).output).toContain('the newest one');
    expect(await run(settings, 'apps', 'list')).toMatchObject({ code: 0, complaints: '' });
  });

  test('where this machine remembers one, an empty place is a mistake: nothing is begun there', async () => {
    writeFileSync(join(folder, kind, 'epoch.json'), '{"instance":"one-of-before","epoch":7}');
    if (kind === 'sqlite') rmSync(file());
    else await onServer('drop schema public cascade; create schema public');
    const more = [['migrate'], ['migrate', '--status'], ['migrate', '--plan'], ['serve']];
    for (const command of [...COMMANDS, ...more]) {
      const { code, output, complaints } = await run(settings, ...command);
      expect({ command, code, output }).toEqual({ command, code: 1, output: '' });
      expect(complaints).toContain(
        'epoch.json remembers a database. Correct the address, or restore that database',
      );
    }
    expect(await doctorSays()).toEqual({
      state: 'failed',
      detail: expect.stringContaining('remembers a database') as string,
    });
    expect(await presentNumber()).toBeNull();
  });
});
