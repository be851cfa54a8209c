import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { freshDatabase } from '../../support/database/database.ts';
import { tokenOf } from '../../support/callers/legacy-calls.ts';
import { sendRaw } from '../../support/callers/raw-request.ts';
import { canReadProcesses, isRunning, visibleOf, workersOf } from './process-list.ts';
import { buildProgram, runProgram } from '../running-program.ts';
import { readProfiles, tokenFromCodePage } from '../walks.ts';
import { choosePlace, type Place, startWholeSystem, type WholeSystem } from '../whole-system.ts';

/** WORKERS: several processes on one port. */

let place: Place;
let system: WholeSystem;
let token: string;

const SETTINGS = { WORKERS: '2', LEGACY_RATE_LIMIT: '0' };
const start = (settings = {}) => startWholeSystem({ ...place.settings, ...SETTINGS, ...settings });

async function until(what: string, isSo: () => boolean): Promise<void> {
  const end = Date.now() + 40_000;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`${what} did not come to pass: ${system.complaints()}`);
    await pause(20);
  }
}

beforeAll(buildProgram, 120_000);

const workers = () => workersOf(system.pid);
const statusOfRead = async () => (await readProfiles(system, token)).status;
const statuses = (calls: number) => Promise.all(Array.from({ length: calls }, statusOfRead));

/** The lines that tell of a death, or of a start that went wrong. */
const replacements = () =>
  system
    .complaints()
    .split('\n')
    .filter((line) => /a worker (ended unexpectedly|could not be replaced)/.test(line))
    .map((line) => JSON.parse(line) as { level: string; message: string; exit?: string; pause: number });

/** Whether nobody holds the lock of writers for longer than a write takes. */
function isWritable(file: string): boolean {
  const db = new Sqlite(join(place.varDir, file), { timeout: 1000 });
  try {
    db.exec('begin immediate; rollback');
    return true;
  } catch {
    return false;
  } finally {
    db.close();
  }
}

/** Stops a process between two writes: one that stands still in the middle of one keeps every other from SQLite. */
async function standStill(pid: number): Promise<void> {
  for (;;) {
    process.kill(pid, 'SIGSTOP');
    await pause(20);
    if (['bridge.db', 'bridge-volatile.db'].every(isWritable)) return;
    process.kill(pid, 'SIGCONT');
    await pause(50);
  }
}

const describeWithProcesses = canReadProcesses ? describe : describe.skip;

describeWithProcesses('two workers on one SQLite file', () => {
  beforeAll(async () => {
    place = await choosePlace();
    system = await start();
  });
  afterAll(async () => {
    await system.stop();
    place.remove();
  });

  test('the printed flow gives a token, and the token the twelve profiles', async () => {
    token = tokenOf(await tokenFromCodePage(system));
    const { status: answered, json } = await readProfiles(system, token);
    expect({ answered, profiles: (json as unknown[]).length }).toEqual({ answered: 200, profiles: 12 });
    expect(await statuses(40)).toEqual(Array.from({ length: 40 }, () => 200));
  });

  test('each of the two serves by itself while the other stands still', async () => {
    expect(workers()).toHaveLength(2);
    for (const still of workers()) {
      await standStill(still);
      const answered = await statuses(4).finally(() => process.kill(still, 'SIGCONT'));
      expect(answered).toEqual([200, 200, 200, 200]);
    }
  });

  test('a worker is told nothing in its command line, and nothing but the settings in its environment', () => {
    const given = new Set(Object.keys({ ...place.settings, ...SETTINGS, DEMO_OLD_API_PORT: '0', PATH: '' }));
    for (const { commandLine, environment } of workers().map(visibleOf)) {
      expect(commandLine.split('\0').slice(1)).toEqual([expect.stringMatching(/worker\.js$/), '']);
      const names = environment.split('\0').flatMap((entry) => entry.split('=', 1)[0] || []);
      expect(names.filter((name) => !given.has(name) && !/^NODE_(CHANNEL|UNIQUE)_/.test(name))).toEqual([]);
    }
  });

  test('after kill -9 of one the other serves on, and a new one takes its place', async () => {
    const [dead = 0, other = 0] = workers();
    process.kill(dead, 'SIGKILL');
    expect(await statuses(10)).toEqual(Array.from({ length: 10 }, () => 200));
    await until('a new worker', () => workers().length === 2 && !workers().includes(dead));
    expect(replacements()).toMatchObject([{ level: 'error', exit: 'SIGKILL' }]);
    await standStill(other);
    const answered = await statuses(4).finally(() => process.kill(other, 'SIGCONT'));
    expect(answered).toEqual([200, 200, 200, 200]);
  });

  test('one that cannot be replaced is tried again after longer and longer pauses, until it can', async () => {
    const [oldest = 0, newest = 0] = workers();
    const [keys, away] = [join(place.varDir, 'keys.json'), join(place.varDir, 'away.json')];
    renameSync(keys, away);
    const before = replacements().length;
    process.kill(newest, 'SIGKILL');
    await until('three attempts', () => replacements().length >= before + 3);
    expect(await statuses(4)).toEqual([200, 200, 200, 200]);
    const failed = replacements().slice(before);
    expect(failed.map(({ pause: rest }) => rest / (failed[0]?.pause ?? 0)).slice(0, 3)).toEqual([1, 2, 4]);
    expect(system.complaints()).toContain('keys.json is missing');
    renameSync(away, keys);
    await standStill(oldest);
    const answered = await statuses(4).finally(() => process.kill(oldest, 'SIGCONT'));
    expect(answered).toEqual([200, 200, 200, 200]);
  });

  test('Ctrl-C, which reaches all at once, ends them with 0, and SIGTERM does', async () => {
    for (const end of ['stop', 'interrupt'] as const) {
      await system.stop();
      system = await start();
      const all = [system.pid, ...workers()];
      expect(await system[end]()).toBe(0);
      expect({ left: all.filter(isRunning), complaints: system.complaints() }).toEqual({
        left: [],
        complaints: '',
      });
    }
  });

  test('workers end by themselves when the first process is killed, and the token serves the next start', async () => {
    system = await start();
    const all = workers();
    process.kill(system.pid, 'SIGKILL');
    await until('the end of the workers', () => all.filter(isRunning).length === 0);
    expect(all).toHaveLength(2);
    await system.ended;
    system = await start();
    expect(await statuses(4)).toEqual([200, 200, 200, 200]);
  });

  test.each(['a port that is taken', 'a certificate that is none'])(
    '%s is said as one process says it, in one plain sentence, with exit code 1 and nobody left',
    async (what) => {
      const other = await choosePlace();
      const tls = join(other.varDir, 'none.pem');
      writeFileSync(tls, 'none');
      const wrong = what.includes('port')
        ? { PORT: place.settings.PORT }
        : { TLS_CERT_FILE: tls, TLS_KEY_FILE: tls };
      const [several, one] = [
        await runProgram({ ...other.settings, ...wrong, WORKERS: '2' }),
        await runProgram({ ...other.settings, ...wrong, WORKERS: '1' }),
      ].map(({ code, complaints }) => ({
        code,
        sentences: complaints.split('\n').filter((line) => line !== '' && !line.startsWith('{')),
      }));
      other.remove();
      expect(several).toEqual({ code: 1, sentences: [expect.any(String)] });
      expect(several).toEqual(one);
    },
  );
});

test('two workers on PostgreSQL serve the printed flow', async () => {
  const database = await freshDatabase();
  place = await choosePlace();
  system = await start({ DATABASE_URL: database.url });
  try {
    const issued = tokenOf(await tokenFromCodePage(system));
    const answers = await Promise.all(Array.from({ length: 20 }, () => readProfiles(system, issued)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await system.stop()).toBe(0);
  } finally {
    await system.stop();
    await database.drop();
    place.remove();
  }
});

/** Loaded before the program: its machine's clock is wrong by so much. */
const wrongClock = (by: number) => `const right = Date.now; Date.now = () => right() + ${by};\n`;

test.each([
  [-5000, 503],
  [500, 200],
])('/ready of every worker, on a machine whose clock is %d ms off: %d', async (by, expected) => {
  place = await choosePlace();
  const file = join(place.varDir, 'wrong-clock.mjs');
  writeFileSync(file, wrongClock(by));
  system = await start({ NODE_OPTIONS: `--import ${pathToFileURL(file).href}` });
  try {
    const ask = () => sendRaw(system.bridgeUrl, { path: '/ready' });
    const answers = await Promise.all(Array.from({ length: 20 }, ask));
    const reason = 'the clocks of this machine and of the database differ by more than one second';
    const json = expected === 200 ? { ready: true } : { ready: false, reason };
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([expected]));
    expect(answers[0]?.json).toEqual(json);
    expect(await sendRaw(system.bridgeUrl, { path: '/health' })).toMatchObject({ status: 200 });
  } finally {
    await system.stop();
    place.remove();
  }
});
