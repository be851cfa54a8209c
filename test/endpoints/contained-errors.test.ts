import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { containErrors } from '../../src/shared/net/contain-errors.ts';
import { portOf } from '../support/servers/free-port.ts';
import { sendRaw } from '../support/callers/raw-request.ts';

test('a write to an answer that has ended harms nobody', async () => {
  const written: Array<Error | null | undefined> = [];
  const server = createServer((req, res) =>
    containErrors(req, res, () => {
      res.end('whole');
      res.write('late', (error) => written.push(error));
    }),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${portOf(server)}`;
  for (let n = 0; n < 2; n++) expect(await sendRaw(origin, { path: '/' })).toMatchObject({ text: 'whole' });
  expect(written).toMatchObject([
    { code: 'ERR_STREAM_WRITE_AFTER_END' },
    { code: 'ERR_STREAM_WRITE_AFTER_END' },
  ]);
  server.close();
});

/** All that comes back on a connection until it ends. */
async function exchange(port: number, pieces: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  const ended = once(socket, 'close');
  for (const piece of pieces) {
    socket.write(piece);
    await delay(100);
  }
  await ended;
  return text;
}

test('what follows a request for another protocol is never read from its middle on', async () => {
  const asked: string[] = [];
  const server = createServer((req, res) =>
    containErrors(req, res, () => {
      asked.push(`${req.method} ${req.url}`);
      res.end('answer');
    }),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const upgrade =
    'POST /first HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\nContent-Length: 1\r\n\r\na';
  const inside = 'GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n';
  const second = `POST /second HTTP/1.1\r\nHost: x\r\nContent-Length: ${4 + inside.length}\r\n\r\nAAAA`;
  const text = await exchange(portOf(server), [upgrade + second, inside]);
  expect(text.match(/^HTTP\/1\.1 /gm)).toHaveLength(1);
  expect(text).toMatch(/^connection: close\r$/im);
  expect(asked).toEqual(['POST /first']);
  server.close();
});
