import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import Sqlite from 'better-sqlite3';
import { DAY } from '../../src/shared/lifetimes.ts';
import { dayOf } from '../../src/shared/moments.ts';
import { generateFile } from '../import/support/generate.ts';
import { buildProgram, type Settings, startProgram } from '../processes/running-program.ts';
import { freePort } from '../support/free-port.ts';
import { until60 } from './support/refreshing-program.ts';

/** A process with a million tokens is stopped while it counts them, plans reminders and chains what their import wrote. */

const MINUTES = 60_000;
const SIZE = { tokens: 1_000_000, apps: 2000 };

/** What a stop may take beside other programs; work that does not end for it takes until the limit of a stop, 20 s. */
const STOP_MS = 10_000;

/** By the names of their leases. */
const WORK = ['job keep-progress', 'job plan-reminders', 'history'];

const folder = mkdtempSync(join(tmpdir(), 'million-stop-'));
let settings: Settings;

const inDays = (days: number) => dayOf(Date.now() + days * DAY);

beforeAll(async () => {
  await buildProgram();
  const port = String(await freePort());
  const url = `http://localhost:${port}`;
  const nobody = `http://127.0.0.1:${await freePort()}`;
  settings = {
    VAR_DIR: join(folder, 'var'),
    PORT: port,
    PUBLIC_URL: url,
    MODERN_AUTH_URL: nobody,
    MODERN_API_URL: nobody,
    MODERN_CLIENT_ID: 'bridge',
    LOG_LEVEL: 'error',
    LEGACY_DEPRECATED_AT: inDays(-100),
    LEGACY_RETIREMENT_AT: inDays(1),
    BRIDGE_SUNSET_AT: inDays(60),
  };
  const file = join(folder, 'tokens.ndjson');
  await generateFile(file, SIZE);
  const program = resolve(import.meta.dirname, '../../dist/cli.js');
  const env = { PATH: process.env['PATH'], VAR_DIR: settings['VAR_DIR'], PUBLIC_URL: url };
  await promisify(execFile)(process.execPath, [program, 'tokens', 'import', file, '--json'], {
    env,
    maxBuffer: 2 ** 26,
  });
}, 60 * MINUTES);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The work that a process does now. */
function underWay(): string[] {
  const db = new Sqlite(join(folder, 'var', 'bridge-volatile.db'), { readonly: true });
  const rows = db
    .prepare<[number], { name: string }>('select name from leases where until > ?')
    .all(Date.now());
  db.close();
  return rows.map(({ name }) => name).filter((name) => WORK.includes(name));
}

/** Stops a process so long after it serves; what it was doing, and how long the stop took. */
async function stopAfter(ms: number): Promise<{ work: string[]; took: number }> {
  const program = startProgram(settings);
  await until60(() => program.said.output.includes('Stop with Ctrl-C.'));
  await until60(() => underWay().length > 0);
  await delay(ms);
  const work = underWay();
  const began = performance.now();
  program.process.kill('SIGTERM');
  expect(await program.ended).toBe(0);
  expect(program.said.complaints).toBe('');
  return { work, took: performance.now() - began };
}

test(
  'at a million tokens a process stops at once, whatever it is doing',
  async () => {
    const met = new Set<string>();
    for (const ms of [0, 500, 2000, 5000, 10_000, 20_000]) {
      const { work, took } = await stopAfter(ms);
      console.log(`${(took / 1000).toFixed(2)} s beside ${work.join(', ')}`);
      for (const name of work) met.add(name);
      expect(took).toBeLessThan(STOP_MS);
    }
    expect([...met].toSorted()).toEqual(WORK.toSorted());
  },
  10 * MINUTES,
);
