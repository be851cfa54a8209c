import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type DatabaseLocation, openStore } from '../../src/store/driver/open-store.ts';
import type { Store } from '../../src/store/driver/store.ts';
import { run } from '../processes/commands/operator-command.ts';
import { buildProgram, type Settings } from '../processes/running-program.ts';
import { databaseKinds } from '../store/support/stores.ts';
import { freshDatabase } from '../support/database/database.ts';
import { until } from '../support/servers/held-answer.ts';
import { dump } from './support/dump.ts';
import { generateFile } from './support/generate.ts';

/** A million tokens in little memory; imports that are killed, and two at once, end as one that is left alone. */

const MINUTES = 60_000;
const MEMORY_MAX = 300 * 1024;
const SIZE = { tokens: 50_000, apps: 200 };
const ROWS = SIZE.tokens + SIZE.apps + 1667;
const folder = mkdtempSync(join(tmpdir(), 'million-'));
const file = join(folder, 'tokens.ndjson');
const cleanUp: Array<() => Promise<void>> = [];

interface Place {
  settings: Settings;
  location: DatabaseLocation;
}

const DEATHS = 10;

let places = 0;

/** A database of its own, with the keys that all of them have. */
async function newPlace(kind: DatabaseLocation['kind']): Promise<Place> {
  places += 1;
  const varDir = join(folder, `var-${places}`);
  cpSync(join(folder, 'keys'), varDir, { recursive: true });
  const settings = { VAR_DIR: varDir, PUBLIC_URL: 'http://localhost:3000' };
  if (kind === 'sqlite') return { settings, location: { kind, file: join(varDir, 'bridge.db') } };
  const database = await freshDatabase();
  const { url } = database;
  cleanUp.push(() => database.drop());
  return { settings: { ...settings, DATABASE_URL: url }, location: { kind, url } };
}

function start({ settings }: Place, name: string): ChildProcess {
  const program = resolve(import.meta.dirname, '../../dist/program/cli.js');
  return spawn(process.execPath, [program, 'tokens', 'import', name, '--json'], {
    env: { PATH: process.env['PATH'], ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function finish(child: ChildProcess): Promise<Record<string, unknown>> {
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
  expect(await once(child, 'close')).toEqual([0, null]);
  return JSON.parse(output) as Record<string, unknown>;
}

/** The most memory that a process had so far, in kB; 0 when it has ended. */
function peakOf(child: ChildProcess): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

async function countTokens(store: Store): Promise<number> {
  const { count } = await store.durable
    .selectFrom('mappings')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

async function withStore<T>({ location }: Place, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(location);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const tokensIn = (place: Place) => withStore(place, countTokens);

/** Waits until there are more tokens than before, by that many. */
const grownBy = (place: Place, before: number, growth: number) =>
  withStore(place, (store) => until(async () => (await countTokens(store)) > before + growth, 5 * MINUTES));

beforeAll(async () => {
  await buildProgram();
  await generateFile(file, SIZE);
  // Another database would have other keys, and with them other digests.
  const settings = { VAR_DIR: join(folder, 'made'), PUBLIC_URL: 'http://localhost:3000' };
  expect(await run(settings, 'migrate')).toMatchObject({ code: 0 });
  cpSync(join(folder, 'made', 'keys.json'), join(folder, 'keys', 'keys.json'), { recursive: true });
}, 5 * MINUTES);

afterAll(async () => {
  for (const clean of cleanUp) await clean();
  rmSync(folder, { recursive: true });
});

describe.each(databaseKinds)('on %s', (kind) => {
  let whole: Awaited<ReturnType<typeof dump>>;
  let took: number;

  test(
    'an import that is left alone, and one that repeats it',
    async () => {
      const place = await newPlace(kind);
      const begun = performance.now();
      expect(await finish(start(place, file))).toMatchObject({
        new: ROWS,
        known: 0,
        changed: 0,
        refused: 50,
      });
      took = performance.now() - begun;
      whole = await dump(place.location);
      expect(whole['mappings']?.[0]).toBe(SIZE.tokens);
      expect(await finish(start(place, file))).toMatchObject({
        new: 0,
        known: ROWS,
        changed: 0,
        refused: 50,
      });
      expect(await dump(place.location)).toEqual(whole);
    },
    10 * MINUTES,
  );

  test(
    'one that is killed ten times at random ends with the same database',
    async () => {
      const place = await newPlace(kind);
      let inTheMiddle = 0;
      let before = 0;
      for (let death = 1; death <= DEATHS; death += 1) {
        const child = start(place, file);
        const ended = once(child, 'close');
        // The first ones anywhere, the others among the tokens.
        if (death <= 3) await delay(Math.random() * took * 0.4);
        else await grownBy(place, before, Math.random() * 0.25 * (SIZE.tokens - before));
        child.kill('SIGKILL');
        await ended;
        const after = await tokensIn(place);
        if (after > before && after < SIZE.tokens) inTheMiddle += 1;
        before = after;
      }
      console.log(`${kind}: ${inTheMiddle} of ${DEATHS} died after they had written tokens, before all`);
      expect(inTheMiddle).toBeGreaterThanOrEqual(DEATHS / 2);
      const { known, new: added } = await finish(start(place, file));
      console.log(`${kind}: ${String(known)} rows were there after ten deaths, ${String(added)} were not`);
      expect(await dump(place.location)).toEqual(whole);
    },
    20 * MINUTES,
  );

  test(
    'two at once end with the same database, and neither fails',
    async () => {
      const place = await newPlace(kind);
      // Both would make the schema.
      expect(await run(place.settings, 'migrate')).toMatchObject({ code: 0 });
      const [one, two] = await Promise.all([finish(start(place, file)), finish(start(place, file))]);
      expect(Number(one['new']) + Number(two['new'])).toBe(ROWS);
      expect(Number(one['known']) + Number(two['known'])).toBe(ROWS);
      expect(await dump(place.location)).toEqual(whole);
    },
    20 * MINUTES,
  );
});

test(
  'a million tokens need less than 300 MB',
  async () => {
    const million = join(folder, 'million.ndjson');
    await generateFile(million, { tokens: 1_000_000, apps: 2000 });
    const child = start(await newPlace('sqlite'), million);
    let peak = 0;
    const looking = setInterval(() => {
      peak = Math.max(peak, peakOf(child));
    }, 200);
    const begun = performance.now();
    const done = await finish(child).finally(() => clearInterval(looking));
    const seconds = Math.round((performance.now() - begun) / 1000);
    console.log(`a million tokens in ${seconds} s with at most ${Math.round(peak / 1024)} MB`);
    expect(done).toMatchObject({ new: 1_000_000 + 2000 + 33_334, refused: 1000 });
    expect(peak).toBeGreaterThan(0);
    expect(peak).toBeLessThan(MEMORY_MAX);
  },
  60 * MINUTES,
);
