import { closeSync, openSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { freePort } from '../support/servers/free-port.ts';
import type { Program } from '../processes/running-program.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { type Ground, holdRefreshes, openGround, until60 } from './support/refreshing-program.ts';

/** A log that cannot be written, before real processes whose standard error it is. */

let ground: Ground;

/** Every request writes a line. */
const NOISY = { LOG_LEVEL: 'debug' };

beforeEach(async () => {
  ground = await openGround();
});
afterEach(async () => {
  await ground.close();
});

/** A refresh during which `spoil` makes the log fail; nothing of it is lost, and the process serves on. */
async function refreshWhile(program: Program, spoil: () => void): Promise<void> {
  const token = await ground.connectApp();
  ground.expire();
  const holding = holdRefreshes(ground.proxy);
  const reading = ground.read(token);
  await until60(() => holding.held() === 1);
  spoil();
  for (let call = 0; call < 20; call += 1)
    expect((await sendRaw(ground.url, { path: '/health' })).status).toBe(200);
  holding.release();
  expect((await reading).status).toBe(200);
  expect(ground.grants()).toMatchObject([{ state: 'ready', version: 2 }]);
  ground.proxy.assertNoRefreshTokenTwice();
  program.process.kill('SIGTERM');
  expect(await program.ended).toBe(0);
}

test('its reader goes away in the midst of a refresh', async () => {
  const program = await ground.start(NOISY);
  await refreshWhile(program, () => void program.process.stderr?.destroy());
});

test('the readers of both outputs go away', async () => {
  const program = await ground.start(NOISY);
  await refreshWhile(program, () => {
    program.process.stderr?.destroy();
    program.process.stdout?.destroy();
  });
});

test('workers, and the first process', async () => {
  const program = await ground.start({ ...NOISY, WORKERS: '2' });
  await refreshWhile(program, () => void program.process.stderr?.destroy());
});

test('its disk is full', async () => {
  const full = openSync('/dev/full', 'w');
  try {
    const program = await ground.start(NOISY, { stderr: full });
    await refreshWhile(program, () => undefined);
  } finally {
    closeSync(full);
  }
});

/** Calls by one connection each, without waiting for anything but the answers. */
async function callAll(calls: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const { hostname, port } = new URL(ground.url);
  const call = () =>
    new Promise<void>((resolve, reject) => {
      request({ hostname, port, path: `/health?${'x'.repeat(60)}`, agent }, (answer) =>
        answer.resume().once('end', resolve),
      )
        .once('error', reject)
        .end();
    });
  for (let done = 0; done < calls; done += 50) await Promise.all(Array.from({ length: 50 }, call));
  agent.destroy();
}

test('its reader stands still: calls are answered, lines are dropped and not kept, and their number is told when it reads on', async () => {
  const program = await ground.start(NOISY);
  const { stderr } = program.process;
  await callAll(3000);
  stderr?.pause();
  // Far more than the pipe and the memory that is set aside take: each call is a line of over 150 bytes.
  await callAll(20_000);
  expect(program.said.complaints).not.toContain('could not be written');
  stderr?.resume();
  await until60(() => /"message":"\d+ log lines could not be written since /.test(program.said.complaints));
  const [, lost = '0'] = /"message":"(\d+) log lines/.exec(program.said.complaints) ?? [];
  expect(Number(lost)).toBeGreaterThan(5000);
  program.process.kill('SIGTERM');
  expect(await program.ended).toBe(0);
});

test('the whole system, the embedded new API and the demo included, lives on without it', async () => {
  const [modern, demo] = [await freePort(), await freePort()];
  const own = { MODERN_AUTH_URL: '', MODERN_API_URL: '', MODERN_CLIENT_ID: '' };
  const url = `http://localhost:${ground.settings['PORT']}`;
  const ports = { MODERN_PORT: String(modern), DEMO_PORT: String(demo), PUBLIC_URL: url };
  const program = await ground.start({ ...NOISY, ...own, ...ports });
  program.process.stderr?.destroy();
  for (let call = 0; call < 20; call += 1) {
    expect((await sendRaw(ground.url, { path: '/health' })).status).toBe(200);
    for (const port of [modern, demo])
      expect((await sendRaw(`http://127.0.0.1:${port}`, { path: '/nowhere' })).status).toBeLessThan(500);
  }
  program.process.kill('SIGTERM');
  expect(await program.ended).toBe(0);
});
