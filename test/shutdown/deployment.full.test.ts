import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Program, type Settings, startProgram } from '../processes/running-program.ts';
import { canReadProcesses, workersOf } from '../processes/start/process-list.ts';
import { freePort } from '../support/servers/free-port.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { startBalancer } from './support/balancer.ts';
import { type CallAnswer, createCaller } from './support/keep-alive-caller.ts';
import { type Ground, openGround, until60 } from './support/refreshing-program.ts';

/** Stops under load, as a deployment brings them. */

let ground: Ground;
let token: string;

const CALL_MS = 300;

beforeEach(async () => {
  ground = await openGround();
});
afterEach(async () => {
  await ground.close();
});

/** Lets every reading of the main API take its time. */
function slowDown(): void {
  ground.proxy.onOtherAnswer = async (_call, answer) => {
    await delay(CALL_MS);
    return answer;
  };
}

async function start(settings: Settings): Promise<Program> {
  const program = await ground.start(settings);
  token = await ground.connectApp();
  slowDown();
  return program;
}

const isStopping = async () => (await sendRaw(ground.url, { path: '/ready' })).status === 503;

/** Calls on and on, and twice more after it was told to go elsewhere, which the drain allows; all its answers. */
async function callUntilTold(answers: CallAnswer[], hasBegun: () => boolean): Promise<void> {
  const caller = createCaller(ground.url, token);
  for (let told = 0; told < 3; ) {
    const isAfter = hasBegun();
    const answer = await caller.call();
    if (isAfter) answers.push(answer);
    if (isAfter && answer.isToldToClose) told += 1;
  }
  caller.close();
}

test.each(['1', '2'])('SIGTERM with 20 keep-alive callers, %s workers: no call fails', async (workers) => {
  const program = await start({ WORKERS: workers, DRAIN_SECONDS: '12' });
  let hasBegun = false;
  const answers: CallAnswer[] = [];
  const calling = Array.from({ length: 20 }, () => callUntilTold(answers, () => hasBegun));
  await delay(3 * CALL_MS);
  program.process.kill('SIGTERM');
  await until60(isStopping);
  hasBegun = true;
  const begunAt = performance.now();
  // A call that fails rejects here.
  await Promise.all(calling);
  expect(await program.ended).toBe(0);
  expect(performance.now() - begunAt).toBeLessThan(32_000);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  // A second worker may learn of the stop a moment after the one that said that it is not ready.
  const untold = answers.filter(({ isToldToClose }) => !isToldToClose);
  expect(untold.length).toBeLessThanOrEqual(workers === '1' ? 0 : 20);
  expect(program.said.complaints).toBe('');
});

const whereSeen = canReadProcesses ? test : test.skip;

whereSeen.each(['1', '2'])(
  'calls that came before the door closes, while no process could run, are answered, %s workers',
  async (workers) => {
    const program = await start({ WORKERS: workers, DRAIN_SECONDS: '6' });
    const first = program.process.pid ?? 0;
    const serving = workers === '1' ? [first] : workersOf(first);
    program.process.kill('SIGTERM');
    const isOver = delay(7500);
    await until60(isStopping);
    for (const pid of serving) process.kill(pid, 'SIGSTOP');
    const calls = Array.from({ length: 60 }, () => ground.read(token));
    // When they run again, the drain is over, and the kernel holds all of these connections.
    await isOver;
    for (const pid of serving) process.kill(pid, 'SIGCONT');
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await program.ended).toBe(0);
  },
);

test.each(['1', '2'])(
  'SIGHUP to all processes, as of a closed terminal, is such a stop, %s workers',
  async (workers) => {
    const program = await start({ WORKERS: workers, DRAIN_SECONDS: '1' });
    let release: (() => void) | undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const isHeld = new Promise<void>((resolve) => {
      ground.proxy.onOtherAnswer = async (_call, answer) => {
        resolve();
        await released;
        return answer;
      };
    });
    const called = ground.read(token);
    await isHeld;
    process.kill(-(program.process.pid ?? 0), 'SIGHUP');
    await until60(() => program.said.output.includes('stopping: calls are accepted for 1 more second'));
    release?.();
    expect((await called).status).toBe(200);
    expect(await program.ended).toBe(0);
    expect(program.said.output.endsWith('stopped\n')).toBe(true);
    expect(program.said.complaints).toBe('');
  },
);

test('an idle process, with connections that are kept open, ends at once after the drain', async () => {
  const program = await start({ DRAIN_SECONDS: '1' });
  const callers = Array.from({ length: 5 }, () => createCaller(ground.url, token));
  for (const caller of callers) await caller.call();
  const stoppedAt = performance.now();
  program.process.kill('SIGTERM');
  expect(await program.ended).toBe(0);
  // Without an end of their own these connections would keep it for 20 s.
  expect(performance.now() - stoppedAt).toBeLessThan(15_000);
  for (const caller of callers) caller.close();
});

test('a refresh that has no time left to end is not begun', async () => {
  const program = await start({ DRAIN_SECONDS: '0' });
  let outcome: number | 'cut' | undefined;
  await new Promise<void>((resolve) => {
    ground.proxy.onOtherAnswer = async (_call, answer) => {
      resolve();
      await delay(6000);
      // The access token is refused, so that the call asks for a refresh when the stop has gone on for too long.
      return { ...answer, status: 401, body: Buffer.from('{}') };
    };
    void ground.read(token).then(
      ({ status }) => (outcome = status),
      () => (outcome = 'cut'),
    );
  });
  program.process.kill('SIGTERM');
  expect(await program.ended).toBe(0);
  await until60(() => outcome !== undefined);
  expect(outcome).toBe(503);
  expect(ground.proxy.refreshes()).toEqual([]);
  expect(ground.grants()).toMatchObject([{ state: 'ready', version: 1 }]);
});
/** A second machine on the same database, with a folder of its own. */
async function secondMachine(): Promise<Settings & { PORT: string }> {
  const [first = '', port] = [ground.settings['VAR_DIR'], await freePort()];
  const varDir = join(first, 'second');
  mkdirSync(varDir, { mode: 0o700 });
  copyFileSync(join(first, 'keys.json'), join(varDir, 'keys.json'));
  return { PORT: String(port), VAR_DIR: varDir, DATABASE_URL: `sqlite:${join(first, 'bridge.db')}` };
}

async function stop(program: Program): Promise<void> {
  program.process.kill('SIGTERM');
  expect(await program.ended).toBe(0);
}

test('behind a balancer that follows /ready no call fails, stop after stop', async () => {
  const DRAIN = { DRAIN_SECONDS: '4' };
  let first = await start({ ...DRAIN, WORKERS: '2' });
  const second = { ...(await secondMachine()), ...DRAIN };
  const other = { ...ground.settings, ...second };
  const startOther = async () => {
    const program = startProgram(other);
    await until60(() => program.said.output.includes('Stop with Ctrl-C.'));
    return program;
  };
  let there = await startOther();
  const origins = [ground.url, `http://127.0.0.1:${second.PORT}`] as const;
  const balancer = await startBalancer(origins);
  await until60(() => origins.every((origin) => balancer.isReady(origin)));

  const over = new AbortController();
  const statuses: number[] = [];
  const calling = Array.from({ length: 10 }, async () => {
    const caller = createCaller(balancer.url, token);
    while (!over.signal.aborted) statuses.push((await caller.call()).status);
    caller.close();
  });
  for (let round = 0; round < 2; round += 1) {
    await stop(first);
    first = await ground.start({ ...DRAIN, WORKERS: '2' });
    await until60(() => balancer.isReady(origins[0]));
    await stop(there);
    there = await startOther();
    await until60(() => balancer.isReady(origins[1]));
  }
  over.abort();
  await Promise.all(calling);
  await balancer.close();
  await stop(there);
  expect(balancer.failures).toEqual([]);
  expect(statuses.length).toBeGreaterThan(100);
  expect(new Set(statuses)).toEqual(new Set([200]));
});
