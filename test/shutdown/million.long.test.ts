import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Sqlite } from '../../src/shared/sqlite.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { dayOf } from '../../src/shared/moments.ts';
import { generateFile } from '../import/support/generate.ts';
import { buildProgram, type Settings, startProgram } from '../processes/running-program.ts';
import { freePort } from '../support/servers/free-port.ts';
import { until } from '../support/servers/held-answer.ts';

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
  const program = resolve(import.meta.dirname, '../../dist/program/cli.js');
  const env = { PATH: process.env['PATH'], VAR_DIR: settings['VAR_DIR'], PUBLIC_URL: url };
  await promisify(execFile)(process.execPath, [program, 'migrate'], { env });
  await promisify(execFile)(process.execPath, [program, 'tokens', 'import', file, '--json'], {
    env,
    maxBuffer: 2 ** 26,
  });
}, 60 * MINUTES);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Whether the process does a work now. */
function isUnderWay(work: string): boolean {
  const db = new Sqlite(join(folder, 'var', 'bridge-volatile.db'), { readonly: true });
  const held = db
    .prepare<[string, number]>('select name from leases where name = ? and until > ?')
    .get(work, Date.now());
  db.close();
  return held !== undefined;
}

/** Stops a process once it does a work; how long the stop took. */
async function stopBeside(work: string): Promise<number> {
  const program = startProgram(settings);
  try {
    await until(() => program.said.output.includes('Stop with Ctrl-C.'), 2 * MINUTES);
    await until(() => isUnderWay(work), 5 * MINUTES);
    const began = performance.now();
    program.process.kill('SIGTERM');
    expect(await program.ended).toBe(0);
    expect(program.said.complaints).toBe('');
    return performance.now() - began;
  } finally {
    program.process.kill('SIGKILL');
    await program.ended;
  }
}

test.each(WORK)(
  'at a million tokens a process stops at once beside %s',
  async (work) => {
    const took = await stopBeside(work);
    console.log(`${(took / 1000).toFixed(2)} s beside ${work}`);
    expect(took).toBeLessThan(STOP_MS);
  },
  10 * MINUTES,
);
