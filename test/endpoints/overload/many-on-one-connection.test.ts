import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { setImmediate as takeTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type RunningServer, startServer } from '../../../src/http/server.ts';
import { createLogger } from '../../../src/shared/log/logger.ts';
import { until } from '../../support/servers/held-answer.ts';

/** A connection on which a caller sends many requests without waiting for an answer (docs/threats.md F204, F205). */

const MOST = 256;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const lines: string[] = [];
/** The requests that were begun, with the answers, as long as they are in memory. */
let begun: Array<{ path: string; answer: WeakRef<object> }> = [];
/** A request for this address is never answered. */
const HELD = '/held';

let server: RunningServer;

beforeAll(async () => {
  const stream = new PassThrough().on('data', (chunk) => lines.push(String(chunk)));
  const logger = createLogger({ level: 'warn', name: 'bridge', stream });
  const options = { host: '127.0.0.1', port: 0, tls: undefined, logger };
  server = await startServer(options, ({ url: path = '' }, res) => {
    begun.push({ path, answer: new WeakRef(res) });
    if (path !== HELD) setTimeout(() => res.end(path), 1);
  });
});
afterAll(() => server.close());
beforeEach(() => (begun = []));

async function open(): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1');
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
