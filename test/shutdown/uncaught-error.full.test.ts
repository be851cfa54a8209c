import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { canReadProcesses, isRunning, workersOf } from '../processes/start/process-list.ts';
import type { Program } from '../processes/running-program.ts';
import { scrape, sumOf } from '../metrics/support/scrape.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { type Ground, holdRefreshes, openGround, until60 } from './support/refreshing-program.ts';

/** An error that nobody caught, in the midst of a refresh: what is in memory is stored before the process ends. */

const PRELOAD = { NODE_OPTIONS: `--import ${join(import.meta.dirname, 'programs/throw-on-signal.mjs')}` };

let ground: Ground;
let token: string;

beforeEach(async () => {
  ground = await openGround();
});
afterEach(async () => {
  await ground.close();
});

const alarms = ({ said }: Program) =>
  said.complaints.split('an error that nobody caught ends the process').length - 1;

const isRefused = () =>
  sendRaw(ground.url, { path: '/ready' }).then(
    ({ status }) => status === 503,
    () => true,
  );

test('one process stores the pair and answers the caller before it ends with 1; a second error changes nothing', async () => {
  const program = await ground.start({ ...PRELOAD, DRAIN_SECONDS: '600' });
  token = await ground.connectApp();
  ground.expire();
  const holding = holdRefreshes(ground.proxy);
  const reading = ground.read(token);
  await until60(() => holding.held() === 1);

  program.process.kill('SIGUSR2');
  await until60(() => alarms(program) === 1);
  await until60(isRefused);
  program.process.kill('SIGUSR2');
  await until60(() => alarms(program) === 2);
  expect(program.process.exitCode).toBeNull();
  expect(ground.grants()).toMatchObject([{ state: 'presenting', version: 1 }]);

  holding.release();
  expect(await reading).toMatchObject({ status: 200, headers: { connection: 'close' } });
  expect(await program.ended).toBe(1);
  expect(ground.grants()).toMatchObject([{ state: 'ready', version: 2 }]);
  ground.proxy.assertNoRefreshTokenTwice();
});

const wasUnclean = async () => sumOf(await scrape(ground.url), 'grantbridge_last_end_unclean');

test('the next start tells of the end, and a further one still does; an ordinary stop is none', async () => {
  const first = await ground.start(PRELOAD);
  expect(await wasUnclean()).toBe(0);
  first.process.kill('SIGTERM');
  expect(await first.ended).toBe(0);

  const second = await ground.start(PRELOAD);
  expect(await wasUnclean()).toBe(0);
  second.process.kill('SIGUSR2');
  expect(await second.ended).toBe(1);

  for (const _ of ['the next', 'a further']) {
    const later = await ground.start(PRELOAD);
    expect(await wasUnclean()).toBe(1);
    later.process.kill('SIGTERM');
    expect(await later.ended).toBe(0);
  }
});

test('errors without end do not keep the process', async () => {
  const program = await ground.start(PRELOAD);
  const more = setInterval(() => program.process.kill('SIGUSR2'), 5);
  program.process.kill('SIGUSR2');
  expect(await program.ended).toBe(1);
  clearInterval(more);
  expect(alarms(program)).toBeLessThanOrEqual(10);
});

const testWithProcesses = canReadProcesses ? test : test.skip;

testWithProcesses(
  'a worker does the same, while the others serve on and a new one takes its place',
  async () => {
    const program = await ground.start({ ...PRELOAD, WORKERS: '2' });
    token = await ground.connectApp();
    ground.expire();
    const holding = holdRefreshes(ground.proxy);
    const reading = ground.read(token);
    await until60(() => holding.held() === 1);
    const before = workersOf(program.process.pid ?? 0);
    for (const pid of before) process.kill(pid, 'SIGUSR2');
    await until60(() => alarms(program) === 2);
    // Without a drain both would be gone by now; the one that has the answer to wait for lives on.
    await delay(1000);
    expect(before.filter(isRunning)).toHaveLength(1);
    holding.release();
    expect((await reading).status).toBe(200);
    await until60(() => {
      const now = workersOf(program.process.pid ?? 0);
      return now.length === 2 && !now.some((pid) => before.includes(pid));
    });
    await until60(() => ground.grants()[0]?.version === 2);
    // The new workers may not listen yet.
    await until60(() =>
      wasUnclean().then(
        (told) => told === 1,
        () => false,
      ),
    );
    ground.proxy.assertNoRefreshTokenTwice();
    program.process.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  },
);
