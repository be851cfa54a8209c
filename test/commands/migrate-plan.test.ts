import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import pg from 'pg';
import { Sqlite } from '../../src/shared/sqlite.ts';
import { migrateDatabase } from '../../src/cli/commands/database/migrate.ts';
import { effectsOf } from '../../src/store/driver/schema/migration-effects.ts';
import { migrationFiles } from '../../src/store/driver/schema/migrations.ts';
import { volatileFileOf } from '../../src/store/driver/sqlite.ts';
import { choosePlace, databaseKinds, type Place } from '../store/support/stores.ts';

/** `migrate --plan` says what would run, on a database of any schema, and changes nothing. */

interface DatabaseJson {
  kind: string;
  schema: number | null;
  newest: number;
  is_newer: boolean;
  migrations: Array<{ number: number; name: string; adds_only: boolean; changes: string[] }>;
  tables: Array<{ table: string; rows: number | null; bytes: number | null }>;
}

const before = process.env;

async function plan() {
  const { ok, lines, json } = await migrateDatabase({ plan: true });
  const [durable, beside] = json['databases'] as [DatabaseJson, DatabaseJson | undefined];
  return { ok, text: lines.join('\n'), durable, beside };
}

describe.each(databaseKinds)('on %s', (kind) => {
  let place: Place;
  let varDir: string;
  const files = migrationFiles(kind);
  const newest = files.at(-1)?.number ?? 0;

  beforeEach(async () => {
    place = await choosePlace(kind);
    varDir = mkdtempSync(join(tmpdir(), 'migrate-plan-'));
    const { location } = place;
    process.env = {
      VAR_DIR: varDir,
      DATABASE_URL: location.kind === 'sqlite' ? `sqlite:${location.file}` : location.url,
      MODERN_AUTH_URL: 'http://127.0.0.1:9',
      MODERN_API_URL: 'http://127.0.0.1:9',
      MODERN_CLIENT_ID: 'bridge',
    };
  });
  afterEach(async () => {
    process.env = before;
    rmSync(varDir, { recursive: true, force: true });
    await place.remove();
  });

  async function execute(...statements: string[]): Promise<void> {
    const { location } = place;
    if (location.kind === 'sqlite') {
      const db = new Sqlite(location.file);
      for (const statement of statements) db.exec(statement);
      db.close();
      return;
    }
    const client = new pg.Client({ connectionString: location.url });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  }

  /** How a database without declarations says that it has a schema. */
  const numbered = (schema: number) =>
    kind === 'sqlite'
      ? `pragma user_version = ${schema}`
      : `insert into schema_version (number) values (${schema})`;

  /** A database with the schema of that migration and of those before it. */
  async function makeAt(schema: number): Promise<void> {
    const texts = files
      .filter(({ number }) => number <= schema)
      .map(({ path }) => readFileSync(path, 'utf8'));
    if (kind === 'postgres') await execute('create table schema_version (number integer not null)');
    await execute(...texts, numbered(schema));
  }

  test('where there is no database every migration would run in order, and none is made', async () => {
    const { ok, text, durable, beside } = await plan();
    expect({ ok, schema: durable.schema }).toEqual({ ok: true, schema: null });
    expect(durable.migrations.map(({ name }) => name)).toEqual(
      files.map(({ path }) => basename(path, '.sql')),
    );
    expect(text).toContain('There is no durable database of the bridge at');
    expect(beside?.kind).toBe(kind === 'sqlite' ? 'volatile' : undefined);
    const { location } = place;
    if (location.kind === 'sqlite') expect(existsSync(location.file)).toBe(false);
    expect((await plan()).durable).toEqual(durable);
  });

  test('of an older one it names what waits, with what it does and the tables, and moves nothing', async () => {
    await makeAt(7);
    await execute(
      "insert into apps (client_id, name, source, created_at) values ('a', 'A', 'observed', 1)",
      kind === 'sqlite' ? 'analyze' : 'vacuum analyze apps',
    );
    const { text, durable } = await plan();
    expect([durable.schema, durable.newest]).toEqual([7, newest]);
    const waiting = files.filter(({ number }) => number > 7).map(({ number }) => number);
    expect(durable.migrations.map(({ number }) => number)).toEqual(waiting);
    const claims = durable.migrations.find(({ number }) => number === 8);
    expect(claims).toMatchObject({ adds_only: false });
    expect(claims?.changes).toContain('update mappings');
    const imports = durable.migrations.find(({ name }) => /^\d{3}-imports$/.test(name));
    expect(imports).toMatchObject({ adds_only: true, changes: [] });
    expect(durable.tables.find(({ table }) => table === 'apps')).toMatchObject({ rows: 1 });
    expect(text).toMatch(/ {2}008-claimed-apps: changes rows or tables that exist/);
    expect(text).toMatch(
      / {2}\d{3}-imports: only adds\. No older version works with the database afterwards\.\n {6}adds: .*index on events/,
    );
    expect((await plan()).durable.schema).toBe(7);
  });

  test('of the newest one nothing would run, and of a newer one it says that migrate would refuse it', async () => {
    await migrateDatabase({});
    const { text, durable, beside } = await plan();
    expect([durable.migrations, beside?.migrations ?? []]).toEqual([[], []]);
    expect(text).toContain(`has schema ${newest}, the newest one. Nothing would run.`);
    await execute(numbered(newest + 1));
    const newer = await plan();
    expect(newer).toMatchObject({
      ok: true,
      durable: { schema: newest + 1, is_newer: true, usable: false, migrations: [] },
    });
    expect(newer.text).toContain('a newer version wrote the database. migrate would refuse it.');
  });

  test('of a newer one with which this version works it says so, and migrate changes nothing', async () => {
    await migrateDatabase({});
    await execute(
      ...(kind === 'sqlite' ? [numbered(newest + 1)] : []),
      `insert into schema_version (number, works_from) values (${newest + 1}, ${newest})`,
    );
    const { text, durable } = await plan();
    expect(durable).toMatchObject({ schema: newest + 1, is_newer: true, usable: true, migrations: [] });
    expect(text).toContain('a newer version wrote the database. This version works with it.');
    const done = await migrateDatabase({});
    expect(done.json).toMatchObject({ migrated: false, before: newest + 1, schema: newest + 1 });
    expect(done.lines.join()).toContain('This version works with it. No schema was changed.');
    const told = await migrateDatabase({ status: true });
    expect(told.json).toMatchObject({ schema: newest + 1, newest, usable: true });
  });

  test('the plan is what migrate then does', async () => {
    await makeAt(newest - 3);
    const { durable, beside } = await plan();
    const { json } = await migrateDatabase({});
    expect(json).toMatchObject({ before: durable.schema, schema: durable.migrations.at(-1)?.number });
    if (place.location.kind === 'postgres') return;
    const db = new Sqlite(volatileFileOf(place.location.file), { readonly: true });
    expect(db.pragma('user_version', { simple: true })).toBe(beside?.migrations.at(-1)?.number);
    db.close();
  });

  test('--status and --plan together are refused', async () => {
    await expect(migrateDatabase({ status: true, plan: true })).rejects.toThrow('ask one');
  });
});

test.each<[sql: string, adds: string[], changes: string[], tables: string[]]>([
  ['create table a (x text); insert into a select y from b;', ['table a'], [], []],
  ['create unlogged table a (x text);', ['table a'], [], []],
  ["alter table b add column c text default 'drop table b; update b';", ['column of b'], [], ['b']],
  ['-- update b;\ncreate unique index i on b (c);', ['index on b'], [], ['b']],
  ['insert into b values (1);', [], ['insert into b'], ['b']],
  ['alter table b alter column c drop not null;', [], ['alter table b'], ['b']],
  [
    'create trigger t after delete on b begin delete from a; update a set x = 1; end; drop table b;',
    ['trigger on b'],
    ['drop table b'],
    ['b'],
  ],
  [
    'create function f() returns trigger language plpgsql as $$ begin delete from a; end $$;',
    ['function'],
    [],
    [],
  ],
  ['alter table b add column c text, drop column d;', [], ['alter table b'], ['b']],
  ['alter table b add column c text, alter column d set not null;', [], ['alter table b'], ['b']],
  [
    "alter table b add column c numeric(10, 2), add column d text check (d in ('x', (lower('y'))));",
    ['column of b'],
    [],
    ['b'],
  ],
  ['with x as (select 1) update b set c = 1 where d;', [], ['with x as (select 1) update'], []],
])('of "%s" is told what it does', (sql, adds, changes, tables) => {
  expect(effectsOf(sql)).toEqual({ adds, changes, tables });
});

test.each(['sqlite', 'sqlite-volatile'])('what is said to only add takes nothing from %s', (folder) => {
  const db = new Sqlite(':memory:');
  const columns = () =>
    db
      .prepare<[], { place: string }>(
        `select m.type || ' ' || m.name || ' ' || coalesce(c.name || ' ' || c.type || ' ' || c."notnull", '') as place
         from sqlite_master m left join pragma_table_info(m.name) c on m.type = 'table'`,
      )
      .all()
      .map(({ place }) => place);
  const adding = migrationFiles(folder).filter(({ path }) => {
    const [had, { changes }] = [columns(), effectsOf(readFileSync(path, 'utf8'))];
    db.exec(readFileSync(path, 'utf8'));
    const has = new Set(columns());
    const isOnlyAdding = changes.length === 0;
    expect({ path, gone: isOnlyAdding ? had.filter((one) => !has.has(one)) : [] }).toEqual({
      path,
      gone: [],
    });
    return isOnlyAdding;
  });
  expect(adding.length).toBeGreaterThan(5);
  db.close();
});
