import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { BridgeProcess } from '../../support/bridge/bridge-process.ts';
import { freshDatabase } from '../../support/database/database.ts';
import { until } from '../../support/servers/held-answer.ts';
import { freePort } from '../../support/servers/free-port.ts';
import {
  callWith,
  copyKeys,
  type Ground,
  inPlace,
  newApp,
  type PlaceSettings,
  prepareGround,
  ready,
  tokenFor,
} from './copies.ts';
import { run } from '../commands/operator-command.ts';
import { buildProgram, type Settings } from '../running-program.ts';
import { databasesOf } from '../../support/jest/test-mode.ts';

/** A restore drill beside a production: what it may not touch, and that production serves on after its next start. */

let ground: Ground;
const dropped: Array<() => Promise<void>> = [];

beforeAll(async () => {
  await buildProgram();
});

beforeEach(async () => {
  ground = await prepareGround();
});

afterEach(async () => {
  await ground.close();
  for (const drop of dropped.splice(0)) await drop();
});

const nameOf = (url: string) => new URL(url).pathname.slice(1);

async function onServer(url: string, ...statements: string[]): Promise<void> {
  const server = new URL(url);
  server.pathname = '/postgres';
  const client = new pg.Client({ connectionString: server.href });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

interface Drill {
  production: PlaceSettings;
  original: BridgeProcess;
  token: string;
  /** What names the restored copy, beside the settings of a production or of a drill. */
  copy: Settings;
  /** What of the command puts it in place, where the command does so. */
  operands: string[];
  /** The production's database as a person would name it. */
  name: string;
  removeOriginal(): Promise<void>;
}

async function serveOneToken(production: PlaceSettings) {
  const original = await ground.start(production);
  return { original, token: await tokenFor(ground, original.url, await newApp(production)) };
}

async function onSqlite(): Promise<Drill> {
  const production = await ground.place('production');
  const { original, token } = await serveOneToken(production);
  const file = join(production.VAR_DIR, 'backup.db');
  expect((await run(production, 'backup', file)).code).toBe(0);
  const name = join(production.VAR_DIR, 'bridge.db');
  return {
    production,
    original,
    token,
    copy: { DATABASE_URL: `sqlite:${join(production.VAR_DIR, '..', 'copy.db')}` },
    operands: [file],
    name,
    removeOriginal: async () => rmSync(name),
  };
}

async function onPostgres(): Promise<Drill> {
  const [database, copied] = [await freshDatabase(), await freshDatabase()];
  for (const one of [database, copied]) dropped.push(() => one.drop().catch(() => undefined));
  const production = await ground.place('production', { DATABASE_URL: database.url });
  const { original, token } = await serveOneToken(production);
  await original.stop();
  // What pg_dump, createdb and pg_restore make: the same rows in a new database.
  const [from, to] = [nameOf(database.url), nameOf(copied.url)];
  await onServer(database.url, `drop database ${to}`, `create database ${to} template ${from}`);
  await original.start();
  return {
    production,
    original,
    token,
    copy: { DATABASE_URL: copied.url },
    operands: [],
    name: `the PostgreSQL database ${from}`,
    removeOriginal: () => onServer(database.url, `drop database ${from} with (force)`),
  };
}

const memoryOf = ({ VAR_DIR }: PlaceSettings) => join(VAR_DIR, 'epoch.json');

const epochIn = (settings: PlaceSettings) =>
  (JSON.parse(readFileSync(memoryOf(settings), 'utf8')) as { epoch: number }).epoch;

/** A take-over writes one line that says so, and no other. */
function expectToldOnce({ code, complaints }: { code: number | null; complaints: string }): void {
  const lines = [expect.stringContaining('"message":"history taken over"')];
  expect({ code, lines: complaints.trim().split('\n') }).toEqual({ code: 0, lines });
}

/** A take-over lifts the epoch to the time in milliseconds. */
const TAKEN_OVER = 1_000_000;

async function expectServesOn({ original, token }: Drill): Promise<void> {
  expect(await ready(original)).toMatchObject({ status: 200 });
  expect((await callWith(token, original.url)).status).toBe(200);
}

const PREPARE = { sqlite: onSqlite, postgres: onPostgres };

describe.each(databasesOf('postgres'))('on %s', (kind) => {
  let drill: Drill;
  beforeEach(async () => {
    drill = await PREPARE[kind]();
  });

  const takeOver = (settings: Settings, ...more: string[]) =>
    run({ ...settings, ...drill.copy }, 'restore', ...drill.operands, '--take-over', ...more);

  test("in the production's VAR_DIR the take-over is refused, and production serves on after its next start", async () => {
    const { production, original } = drill;
    const refused = await takeOver(production);
    expect(refused).toMatchObject({ code: 1, complaints: '' });
    expect(refused.output).toContain(`VAR_DIR: ${production.VAR_DIR} belongs to another database`);
    expect(refused.output).toContain(drill.name);
    expect(refused.output).toContain('For a drill, set a separate VAR_DIR.');
    expect(epochIn(production)).toBeLessThan(TAKEN_OVER);
    await original.stop();
    await original.start();
    await expectServesOn(drill);
  });

  test('a file that an older version wrote names no database, and is known for the production all the same', async () => {
    const { production, original } = drill;
    await original.stop();
    const { instance, epoch } = JSON.parse(readFileSync(memoryOf(production), 'utf8')) as object & {
      instance: string;
      epoch: number;
    };
    writeFileSync(memoryOf(production), JSON.stringify({ instance, epoch }));
    expect((await takeOver(production)).output).toContain(drill.name);
    expect(epochIn(production)).toBe(epoch);
  });

  test('the drill of docs/operate/backup.md, in a VAR_DIR of its own, leaves production as it is, also where a command forgets VAR_DIR', async () => {
    const { production, original } = drill;
    const own = { ...production, VAR_DIR: join(production.VAR_DIR, '..', 'drill') };
    copyKeys(production, own);
    const nowhere = { MODERN_AUTH_URL: 'https://modern.invalid', MODERN_API_URL: 'https://modern.invalid' };
    const settings = { ...own, ...drill.copy, ...nowhere, SMTP_URL: '', LEGACY_BACKEND_URL: '' };
    expect((await takeOver(settings)).code).toBe(0);
    expect((await run(settings, 'history', 'verify')).code).toBe(0);
    const grants = await inPlace(settings, ({ store }) =>
      store.durable.selectFrom('grants').select('state').execute(),
    );
    expect(grants).toEqual([{ state: 'in_doubt' }]);
    // The copy is an original by now, with a higher epoch; a command on it is run in the wrong folder.
    await run({ ...production, ...drill.copy }, 'apps', 'list');
    expect(epochIn(production)).toBeLessThan(TAKEN_OVER);
    await original.stop();
    await original.start();
    await expectServesOn(drill);
  });

  test('serve on a drill that was taken over is refused in the VAR_DIR of production, which serves on', async () => {
    const { production, original } = drill;
    const own = { ...production, VAR_DIR: join(production.VAR_DIR, '..', 'drill') };
    copyKeys(production, own);
    expect((await takeOver(own)).code).toBe(0);
    const mistaken = { ...production, ...drill.copy, PORT: String(await freePort()) };
    for (const WORKERS of ['1', '2']) {
      const start = ground.start({ ...mistaken, WORKERS });
      await expect(start).rejects.toThrow(
        `VAR_DIR: ${production.VAR_DIR} belongs to another database, ${drill.name}. After this start, the bridge on the other database would become a silent copy at its next start. For a drill, set a separate VAR_DIR.`,
      );
      expect(epochIn(production)).toBeLessThan(TAKEN_OVER);
    }
    const doctor = await run({ ...production, ...drill.copy }, 'doctor');
    expect(doctor.output).toContain(`FAILED  instance: VAR_DIR: ${production.VAR_DIR} belongs to another`);
    await original.stop();
    await original.start();
    await expectServesOn(drill);
  });

  test('a silent copy that runs in the VAR_DIR of production and is taken over from elsewhere leaves that folder to production', async () => {
    const { production, original } = drill;
    const mistaken = { ...production, ...drill.copy, PORT: String(await freePort()) };
    const remedy = 'For a drill, set a separate VAR_DIR.';
    if (drill.operands.length > 0)
      expect((await run(mistaken, 'restore', ...drill.operands)).output).toContain(remedy);
    const copy = await ground.start(mistaken);
    expect((await ready(copy)).text).toContain('this is a restored copy');
    // A plain take-over is refused here, so nobody is told to try one.
    expect((await ready(copy)).text).toContain(remedy);
    expect((await ready(copy)).text).not.toContain(production.VAR_DIR);
    expect(copy.complaints()).toContain(remedy);
    await until(async () => (await run(mistaken, 'doctor')).output.includes(remedy), 60_000);
    const before = epochIn(production);
    const own = { ...mistaken, VAR_DIR: join(production.VAR_DIR, '..', 'drill') };
    copyKeys(production, own);
    expect((await run(own, 'restore', '--take-over')).code).toBe(0);
    await until(async () => !(await ready(copy)).text.includes('this is a restored copy'));
    expect(await ready(copy)).toMatchObject({
      status: 503,
      text: '{"ready":false,"reason":"VAR_DIR belongs to another database"}',
    });
    expect(copy.complaints()).toContain(drill.name);
    await copy.stop();
    expect(epochIn(production)).toBeLessThan(before + TAKEN_OVER);
    // The take-over is in the history of the copy alone, and its anchor would speak against the original's.
    const left = await run(mistaken, 'history', 'verify');
    expect(left).toMatchObject({ code: 0, output: expect.stringContaining(drill.name) as string });
    expect(await run(production, 'history', 'verify')).toMatchObject({ code: 0 });
    await original.stop();
    await original.start();
    await expectServesOn(drill);
  });

  test('serve on production is refused in the VAR_DIR of a drill, which marks nothing as a copy', async () => {
    const { production, original } = drill;
    const own = { ...production, VAR_DIR: join(production.VAR_DIR, '..', 'drill') };
    copyKeys(production, own);
    expect((await takeOver(own)).code).toBe(0);
    const there = { DATABASE_URL: `sqlite:${drill.name}`, ...production };
    const mistaken = { ...there, VAR_DIR: own.VAR_DIR, PORT: String(await freePort()) };
    for (const WORKERS of ['1', '2'])
      await expect(ground.start({ ...mistaken, WORKERS })).rejects.toThrow(
        `VAR_DIR: ${own.VAR_DIR} remembers another database, and a later state than this one has.`,
      );
    expect((await run(mistaken, 'doctor')).output).toContain(
      `FAILED  instance: VAR_DIR: ${own.VAR_DIR} remembers another database`,
    );
    await expectServesOn(drill);
    await original.stop();
    await original.start();
    await expectServesOn(drill);
  });

  test('a production that was moved is served where the operator says so, and no grant is in doubt for it', async () => {
    const { production, original } = drill;
    await original.stop();
    const own = { ...production, VAR_DIR: join(production.VAR_DIR, '..', 'elsewhere') };
    copyKeys(production, own);
    expect((await takeOver(own)).code).toBe(0);
    const moved = { ...production, ...drill.copy };
    const doubts = () =>
      inPlace({ ...own, ...drill.copy }, ({ store }) =>
        store.durable.selectFrom('grants').select(['state', 'version']).execute(),
      );
    const before = await doubts();
    expect(await run(moved, 'restore', '--take-over')).toMatchObject({ code: 1 });
    expect(await run(moved, 'restore', '--take-over', '--replace-original')).toMatchObject({
      code: 0,
      output: `This database is the original already. The database was not changed. From now on VAR_DIR (${production.VAR_DIR}) belongs to this database.\n`,
    });
    expect(await doubts()).toEqual(before);
    const bridge = await ground.start(moved);
    expect(await ready(bridge)).toMatchObject({ status: 200 });
  });

  test('a production that is gone is replaced in its own VAR_DIR, which remembers the copy then', async () => {
    const { production, original } = drill;
    await original.stop();
    await drill.removeOriginal();
    expectToldOnce(await takeOver(production));
    expect(epochIn(production)).toBeGreaterThan(TAKEN_OVER);
  });

  test('one that is there is replaced where the operator says so', async () => {
    const { production, original } = drill;
    await original.stop();
    expectToldOnce(await takeOver(production, '--replace-original'));
    expect(epochIn(production)).toBeGreaterThan(TAKEN_OVER);
    await expect(original.start()).rejects.toThrow('remembers another database, and a later state');
  });
});

test('--replace-original says nothing without --take-over', async () => {
  const settings = await ground.place('usage');
  expect((await run(settings, 'restore', 'FILE', '--replace-original')).code).toBe(2);
});
