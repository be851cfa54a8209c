import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { portOf } from '../../../support/servers/free-port.ts';
import { until } from '../../../support/servers/held-answer.ts';
import { type FaultProxy, type NetworkFault, startFaultProxy } from './fault-proxy.ts';

/** What each fault does to a request and its answer, seen from both ends. */

const REQUEST = 'POST /token with a body of some length';
const ANSWER = 'the answer of the modern side';

let target: Server;
let proxy: FaultProxy;
/** What arrived behind the proxy, one text for each connection, and whether the proxy called it a repetition. */
let arrived: Array<{ text: string; repeated: boolean; port: number | undefined }>;

const isRepetition = (port: number | undefined) => proxy.crossingOf(port)?.isRepetition === true;

beforeEach(async () => {
  arrived = [];
  target = createServer((socket) => {
    const entry = { text: '', repeated: false, port: socket.remotePort };
    arrived.push(entry);
    socket
      .on('error', () => undefined)
      .on('data', (bytes: Buffer) => {
        entry.text += bytes.toString();
        entry.repeated = isRepetition(socket.remotePort);
        if (entry.text === REQUEST) socket.end(ANSWER);
      });
  });
  target.listen(0, '127.0.0.1');
  await once(target, 'listening');
  proxy = await startFaultProxy(0, portOf(target));
});

afterEach(async () => {
  await proxy.close();
  target.close();
});

interface Outcome {
  text: string;
  error?: string;
  /** Milliseconds from the request to the end. */
  took: number;
  isOpen: boolean;
}

/** Sends the request; resolves when the connection has ended, or after a while in which it did not. */
async function send(patience = 10_000): Promise<Outcome> {
  const began = performance.now();
  const socket: Socket = connect(proxy.port, '127.0.0.1');
  const outcome: Outcome = { text: '', took: 0, isOpen: true };
  socket.on('data', (bytes: Buffer) => (outcome.text += bytes.toString()));
  socket.on('error', (error: NodeJS.ErrnoException) => (outcome.error = error.code ?? error.message));
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      outcome.isOpen = false;
      resolve();
    });
  });
  socket.once('connect', () => socket.write(REQUEST));
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, patience))]);
  outcome.took = performance.now() - began;
  socket.destroy();
  return outcome;
}

const inject = (fault: NetworkFault, times = 1) => proxy.inject({ fault, times, beginning: 'POST /token ' });

const texts = () => arrived.map(({ text }) => text);

/** What the client saw ended may be on its way to the target still. */
async function expectArrived(expected: readonly string[]): Promise<void> {
  await until(() => isDeepStrictEqual(texts(), expected)).catch(() => undefined);
  expect(texts()).toEqual(expected);
}

test('without a fault everything is passed on, and the request is shown as it left', async () => {
  const seen: string[] = [];
  proxy.onRequestBytes = (_connection, bytes) => void seen.push(bytes.toString());
  expect(await send()).toMatchObject({ text: ANSWER, isOpen: false });
  await expectArrived([REQUEST]);
  expect(seen.join('')).toBe(REQUEST);
  expect(proxy.met.size).toBe(0);
});

test('latency holds both directions back and loses nothing', async () => {
  inject({ kind: 'latency', ms: 80 });
  const { text, took } = await send();
  expect(text).toBe(ANSWER);
  expect(took).toBeGreaterThan(155);
});

test('a slow network delivers everything in small pieces', async () => {
  inject({ kind: 'slow', slice: 5, pauseMs: 10 });
  const { text, took } = await send();
  expect(text).toBe(ANSWER);
  expect(took).toBeGreaterThan(100);
});

test.each([
  ['open', []],
  ['request', [REQUEST]],
  ['answer', [REQUEST]],
] as const)('a reset at the %s ends the connection of the client with an error', async (at, reached) => {
  inject({ kind: 'reset', at });
  expect(await send()).toMatchObject({ text: '', error: 'ECONNRESET', isOpen: false });
  await expectArrived(reached);
});

test('a cut on the way up lets so many bytes through and no more', async () => {
  inject({ kind: 'cut', direction: 'up', bytes: 7 });
  expect(await send()).toMatchObject({ text: '', isOpen: false });
  await expectArrived([REQUEST.slice(0, 7)]);
});

test('a cut on the way down ends the answer after so many bytes', async () => {
  inject({ kind: 'cut', direction: 'down', bytes: 9 });
  expect(await send()).toMatchObject({ text: ANSWER.slice(0, 9), isOpen: false });
  await expectArrived([REQUEST]);
});

test.each([
  ['up', ['']],
  ['down', [REQUEST]],
] as const)('a black hole on the way %s answers nothing and closes nothing', async (direction, reached) => {
  inject({ kind: 'black-hole', direction });
  expect(await send(1000)).toMatchObject({ text: '', isOpen: true });
  await expectArrived(reached);
});

test('a duplicated request arrives twice, is known as a repetition, and is answered once', async () => {
  inject({ kind: 'duplicate' });
  expect(await send()).toMatchObject({ text: ANSWER, isOpen: false });
  await expectArrived([REQUEST, REQUEST]);
  expect(arrived.filter(({ repeated }) => repeated)).toHaveLength(1);
});

test('the port of a repetition is forgotten when it has ended, for another connection may come from it', async () => {
  inject({ kind: 'duplicate' });
  await send();
  await expectArrived([REQUEST, REQUEST]);
  const port = arrived.find(({ repeated }) => repeated)?.port;
  expect(port).toBeDefined();
  await until(() => !isRepetition(port));
});

test('a fault meets as many connections as it was told to, and only those that begin so', async () => {
  inject({ kind: 'reset', at: 'request' }, 2);
  for (const text of ['', '', ANSWER]) expect((await send()).text).toBe(text);
  expect(proxy.met.get('reset')).toBe(2);
  proxy.inject({ fault: { kind: 'reset', at: 'request' }, times: 1, beginning: 'GET ' });
  expect((await send()).text).toBe(ANSWER);
});

test('what took a connection is known to a target that reads the request after the end', async () => {
  inject({ kind: 'reset', at: 'request' });
  expect((await send()).text).toBe('');
  await until(() => proxy.ended === 1);
  expect(proxy.crossingOf(arrived[0]?.port)).toEqual({ fault: 'reset', isRepetition: false });
});

test('what was injected can be taken away before it meets anything', async () => {
  inject({ kind: 'reset', at: 'request' });
  proxy.clear();
  expect((await send()).text).toBe(ANSWER);
});

test('a hole behind the first bytes lets those through, and is counted', async () => {
  proxy.inject({ fault: { kind: 'black-hole', direction: 'up', after: 7 }, times: 1, beginning: 'POST ' });
  const outcome = await send(500);
  expect([outcome.isOpen, arrived[0]?.text, proxy.held]).toEqual([true, REQUEST.slice(0, 7), 1]);
});

test('a series meets one connection with each of its faults', async () => {
  proxy.injectEach({
    faults: [
      { kind: 'reset', at: 'request' },
      { kind: 'cut', direction: 'down', bytes: 6 },
    ],
    beginning: 'POST ',
  });
  const outcomes = [await send(), await send(), await send()];
  expect(outcomes.map(({ text }) => text)).toEqual(['', ANSWER.slice(0, 6), ANSWER]);
  await until(() => proxy.ended === 3);
});

test('while the proxy swallows, nothing passes in either direction; mended, what met the hole ends', async () => {
  proxy.swallow();
  const waiting = send();
  await until(() => proxy.met.get('black-hole') === 1);
  expect(texts()).toEqual(['']);
  expect(proxy.crossingOf(arrived[0]?.port)).toEqual({ fault: 'black-hole', isRepetition: false });
  proxy.mend();
  expect(await waiting).toMatchObject({ text: '', isOpen: false });
  expect((await send()).text).toBe(ANSWER);
});

test('an answer that meets a hole is lost, though its request had passed', async () => {
  arrived = [];
  target.removeAllListeners('connection');
  target.on('connection', (socket) => {
    arrived.push({ text: '', repeated: false, port: socket.remotePort });
    socket
      .on('error', () => undefined)
      .once('data', () => {
        proxy.swallow();
        socket.end(ANSWER);
      });
  });
  const waiting = send();
  await until(() => proxy.met.get('black-hole') === 1);
  proxy.mend();
  expect(await waiting).toMatchObject({ text: '', isOpen: false });
});
