import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { finished, PassThrough } from 'node:stream';
import { setImmediate as takeTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type RunningServer, startServer } from '../../../src/http/server.ts';
import { createLogger } from '../../../src/shared/log/logger.ts';
import { until } from '../../support/servers/held-answer.ts';

/** A connection on which a caller sends many requests without waiting for an answer (docs/threats.md F204 to F207). */

const MOST = 256;
/** Of all connections of a process, before each may have only one request at a time. */
const ALL_MOST = 4096;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const lines: string[] = [];
/** The requests that were begun, with the answers, as long as they are in memory. */
let begun: Array<{ path: string; answer: WeakRef<object> }> = [];
/** A request for this address is never answered. */
const HELD = '/held';

/** Tells of the answers of a test that asks for it. */
let onAnswer: (path: string, res: ServerResponse) => void = () => undefined;

let server: RunningServer;

function start(): Promise<RunningServer> {
  const stream = new PassThrough().on('data', (chunk) => lines.push(String(chunk)));
  const logger = createLogger({ level: 'warn', name: 'bridge', stream });
  const options = { host: '127.0.0.1', port: 0, tls: undefined, logger };
  return startServer(options, ({ url: path = '' }, res) => {
    begun.push({ path, answer: new WeakRef(res) });
    onAnswer(path, res);
    if (path !== HELD) setTimeout(() => res.end(path), 1);
  });
}

beforeAll(async () => {
  server = await start();
});
afterAll(() => server.close());
beforeEach(() => {
  begun = [];
  onAnswer = () => undefined;
});

async function open({ port } = server): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

const requestsOf = (paths: readonly string[]) =>
  paths.map((path) => `POST ${path} HTTP/1.1\r\nHost: bridge.example\r\nContent-Length: 0\r\n\r\n`).join('');

const numbered = (count: number) => Array.from({ length: count }, (_, n) => `/${n}`);

test('as many requests as the limit are answered in their order on one connection, again and again', async () => {
  const socket = await open();
  let received = '';
  socket.on('data', (piece) => (received += String(piece)));
  for (const round of [1, 2]) {
    socket.write(requestsOf(numbered(MOST)));
    await until(() => received.split('HTTP/1.1 200').length - 1 === round * MOST);
  }
  socket.destroy();
  const answered = [...received.matchAll(/\r\n\r\n(\/\d+)/g)].map(([, path]) => path);
  expect(answered).toEqual([...numbered(MOST), ...numbered(MOST)]);
});

test('with more of them the connection is closed, nothing further is begun, and the log tells of it', async () => {
  const socket = await open();
  socket.write(requestsOf(numbered(3000)));
  socket.resume();
  await until(() => socket.closed);
  // More are begun only where the first of them are answered before the last of the piece arrives.
  expect(begun.map(({ path }) => path)).toEqual(numbered(begun.length));
  expect(begun.length).toBeGreaterThanOrEqual(MOST);
  expect(begun.length).toBeLessThan(2 * MOST);
  await until(() => lines.some((line) => line.includes('too many requests on it waited for their answers')));
  const other = await fetch(`http://127.0.0.1:${server.port}/other`);
  expect(await other.text()).toBe('/other');
});

test('the answers that wait behind another are let go when their connection is cut', async () => {
  const socket = await open();
  socket.write(requestsOf([HELD, ...numbered(100)]));
  await until(() => begun.length === 101);
  socket.destroy();
  await until(async () => {
    await takeTurn();
    collect();
    return begun.every(({ answer }) => answer.deref() === undefined);
  });
  expect(begun).toHaveLength(101);
});

test('the end of an answer that waits behind another is told once, and whoever asks later is told too', async () => {
  const told: string[] = [];
  const waiting: ServerResponse[] = [];
  onAnswer = (path, res) => {
    res.on('close', () => told.push(path));
    waiting.push(res);
  };
  const socket = await open();
  socket.write(requestsOf([HELD, '/1', '/2']));
  await until(() => waiting.length === 3);
  socket.destroy();
  await until(() => told.length >= 3);
  let ends = 0;
  for (const res of waiting) finished(res, () => (ends += 1));
  await until(() => ends === 3);
  expect(told.toSorted()).toEqual(['/1', '/2', HELD]);
});

test.each([
  ['without a host', 'GET /n HTTP/1.1\r\n\r\n'],
  ['with an expectation that nobody knows', 'GET /n HTTP/1.1\r\nHost: a\r\nExpect: more\r\n\r\n'],
])('requests %s count too, although they are refused at once', async (_case, request) => {
  const held: ServerResponse[] = [];
  onAnswer = (_path, res) => void held.push(res);
  const [few, many] = [await open(), await open()];
  few.resume().write(requestsOf([HELD]) + request.repeat(MOST - 1));
  await until(() => begun.length === 1);
  many.resume().write(requestsOf([HELD]) + request.repeat(MOST));
  await until(() => many.closed);
  expect(begun.map(({ path }) => path)).toEqual([HELD, HELD]);
  expect(few.closed).toBe(false);
  for (const res of held) res.end();
  few.destroy();
});

test('where very many requests of all connections wait, each connection may have one at a time', async () => {
  const own = await start();
  const held = await Promise.all(Array.from({ length: ALL_MOST / MOST }, () => open(own)));
  for (const socket of held) socket.write(requestsOf(Array.from({ length: MOST }, () => HELD)));
  await until(() => begun.length === ALL_MOST);
  const [one, two] = [await open(own), await open(own)];
  one.resume().write(requestsOf([HELD]));
  two.resume().write(requestsOf([HELD, HELD]));
  await until(() => two.closed);
  expect(begun).toHaveLength(ALL_MOST + 2);
  expect(one.closed).toBe(false);
  for (const path of ['/a', '/b']) {
    const other = await fetch(`http://127.0.0.1:${own.port}${path}`);
    expect(await other.text()).toBe(path);
  }
  for (const socket of [...held, one]) socket.destroy();
  await own.close();
});
