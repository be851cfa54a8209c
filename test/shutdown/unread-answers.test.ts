import { once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { startServer } from '../../src/http/server.ts';
import { createLogger } from '../../src/shared/log/logger.ts';

/** A stop while a caller has read only a part of its answer. */

/** More than the kernel holds for a connection. */
const LONG = Buffer.alloc(32 << 20, 'x');

/** Several looks for connections that are idle. */
const A_WHILE = 300;

async function startLong() {
  const logger = createLogger({ level: 'warn', name: 'bridge', stream: new PassThrough().resume() });
  const options = { host: '127.0.0.1', port: 0, tls: undefined, logger };
  return startServer(options, (_req, res) => void res.end(LONG));
}

test.each([
  ['one request', 1],
  ['two requests, one behind the other', 2],
])('a caller that reads its answer slowly gets all of it: %s', async (_case, requests) => {
  const server = await startLong();
  const socket = connect(server.port, '127.0.0.1');
  let received = 0;
  socket.on('data', (piece: Buffer) => (received += piece.length));
  socket.write('GET / HTTP/1.1\r\nHost: bridge.example\r\n\r\n'.repeat(requests));
  await once(socket, 'data');
  socket.pause();
  await delay(A_WHILE);
  const stopping = server.close();
  await delay(A_WHILE);
  socket.resume();
  await once(socket, 'close');
  expect(received).toBeGreaterThan(requests * LONG.length);
  expect(await stopping).toBe(0);
});
