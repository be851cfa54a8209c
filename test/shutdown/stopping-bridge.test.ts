import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { holdAnswer, until } from '../support/servers/held-answer.ts';
import { issueToken, read } from '../support/callers/legacy-calls.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { testMode } from '../support/jest/test-mode.ts';

/** What callers meet while the bridge stops. */

let system: System;
let token: string;
let sockets: Socket[];

const TOKEN_SECONDS = 3600;

async function start(env: Record<string, string> = {}): Promise<void> {
  system = await startSystem({
    accessTokenSeconds: TOKEN_SECONDS,
    env: { PROFILES_FRESH_SECONDS: '0', ...env },
  });
  token = await issueToken(system);
}

beforeEach(() => {
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  system.proxy.onOtherAnswer = undefined;
  await system.stop();
});

interface Caller {
  send(path: string): void;
  /** All that came, and whether the connection ended by an error. */
  text(): string;
  isEnded(): boolean;
  failure(): string | undefined;
}

/** One connection that is kept open, as that of an old library or of a balancer. */
async function keepAlive(): Promise<Caller> {
  const { port, hostname } = new URL(system.bridgeUrl);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  let [text, isEnded] = ['', false];
  let failure: string | undefined;
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  socket.on('error', ({ code }: NodeJS.ErrnoException) => (failure = code));
  socket.on('close', () => (isEnded = true));
  await once(socket, 'connect');
  return {
    send: (path) =>
      void socket.write(`GET ${path} HTTP/1.1\r\nHost: bridge\r\nAuthorization: Bearer ${token}\r\n\r\n`),
    text: () => text,
    isEnded: () => isEnded,
    failure: () => failure,
  };
}

/** Counts the requests that the bridge has read the head of; Node tells of each. */
function countBegun() {
  const channel = 'http.server.request.start';
  const port = Number(new URL(system.bridgeUrl).port);
  const begun = { requests: 0, end: () => unsubscribe(channel, onStart) };
  function onStart(message: unknown): void {
    if ((message as { socket: Socket }).socket.localPort === port) begun.requests += 1;
  }
  subscribe(channel, onStart);
  return begun;
}

const isAnswered = (caller: Caller, times = 1) => caller.text().split('HTTP/1.1 ').length > times;

test('a call that is under way is answered in full, and told to come on another connection', async () => {
  await start();
  const held = holdAnswer(system.proxy, 'onOtherAnswer');
  const callers = await Promise.all(Array.from({ length: 8 }, keepAlive));
  const begun = countBegun();
  for (const caller of callers) caller.send('/1/profiles.json');
  // A connection that is open for its caller may still wait to be accepted.
  await until(() => begun.requests === callers.length && held.answer !== undefined);
  begun.end();
  const stopping = system.bridge.close();
  system.proxy.onOtherAnswer = undefined;
  held.release();
  await stopping;
  await until(() => callers.every((caller) => caller.isEnded()));
  for (const caller of callers) {
    expect(caller.text()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(caller.text().toLowerCase()).toContain('\r\nconnection: close\r\n');
    expect(caller.failure()).toBeUndefined();
  }
});

test('a request that was sent on an idle connection before it is closed is answered', async () => {
  await start();
  const callers = await Promise.all(Array.from({ length: 8 }, keepAlive));
  for (const caller of callers) caller.send('/health');
  await until(() => callers.every((caller) => isAnswered(caller)));
  // Long enough for no request to be expected any more.
  await delay(200);
  for (const caller of callers) caller.send('/1/profiles.json');
  await system.bridge.close();
  await until(() => callers.every((caller) => caller.isEnded()));
  for (const caller of callers) {
    const [, , second = ''] = caller.text().split('HTTP/1.1 ');
    expect(second).toMatch(/^200 OK\r\n/);
    expect(second.toLowerCase()).toContain('\r\nconnection: close\r\n');
    expect(caller.failure()).toBeUndefined();
  }
});

test('a connection that was just opened may send its first request', async () => {
  await start();
  const caller = await keepAlive();
  const stopping = system.bridge.close();
  expect(system.bridge.context.shutdown.signal.aborted).toBe(true);
  caller.send('/1/profiles.json');
  await stopping;
  await until(() => caller.isEnded());
  expect(caller.text()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
});

test('during DRAIN_SECONDS calls are accepted, /ready says no, and every answer says Connection: close', async () => {
  await start({ DRAIN_SECONDS: '2' });
  expect(await read(system, '/ready', token)).toMatchObject({ status: 200, json: { ready: true } });
  const before = await keepAlive();
  before.send('/health');
  await until(() => isAnswered(before));
  expect(before.text().toLowerCase()).not.toContain('connection: close');
  const stopping = system.bridge.close();
  const [ready, profiles, unknown] = await Promise.all(
    ['/ready', '/1/profiles.json', '/nowhere'].map((path) => read(system, path, token)),
  );
  expect(ready).toMatchObject({ status: 503, json: { ready: false, reason: 'the process is stopping' } });
  expect(profiles).toMatchObject({ status: 200, json: expect.any(Array) });
  before.send('/1/profiles.json');
  await until(() => isAnswered(before, 2));
  expect(before.text().toLowerCase()).toContain('\r\nconnection: close\r\n');
  for (const answer of [ready, profiles, unknown])
    expect(answer?.headers).toMatchObject({ connection: 'close' });
  await stopping;
  await expect(sendRaw(system.bridgeUrl, { path: '/ready' })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

/** No signal asks for it: what it is in a process of its own, uncaught-error.full.test.ts tells. */
const testHere = testMode.isSpawned ? test.skip : test;

testHere('after an error that nobody caught nothing new is begun, and what is under way ends', async () => {
  await start();
  const [busy, idle] = await Promise.all([keepAlive(), keepAlive()]);
  idle.send('/health');
  await until(() => isAnswered(idle));
  const held = holdAnswer(system.proxy, 'onOtherAnswer');
  busy.send('/1/profiles.json');
  await until(() => held.answer !== undefined);
  const stopping = system.bridge.close({ isFailing: true });
  idle.send('/ready');
  await until(() => isAnswered(idle, 2));
  expect(idle.text()).toMatch(/HTTP\/1\.1 503 Service Unavailable\r\n[^]*"code":1000/);
  system.proxy.onOtherAnswer = undefined;
  held.release();
  await stopping;
  await until(() => busy.isEnded());
  expect(busy.text()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
});

testHere('an error that nobody caught during the drain ends the drain', async () => {
  await start({ DRAIN_SECONDS: '600' });
  const stopping = system.bridge.close();
  expect(await read(system, '/health', token)).toMatchObject({ status: 200 });
  await system.bridge.close({ isFailing: true });
  await stopping;
  await expect(sendRaw(system.bridgeUrl, { path: '/ready' })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
