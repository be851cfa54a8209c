import { once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { type RunningServer, startServer } from '../../../src/http/server.ts';
import { createLogger } from '../../../src/shared/log/logger.ts';
import { until } from '../../support/servers/held-answer.ts';

/** A request that waits to be asked for its body (`Expect: 100-continue`) and stands behind another on its connection. */

let server: RunningServer;
let answerFirst: (() => void) | undefined;
let answered: string[];

beforeAll(async () => {
  const logger = createLogger({ level: 'warn', name: 'bridge', stream: new PassThrough().resume() });
  const options = { host: '127.0.0.1', port: 0, tls: undefined, logger };
  server = await startServer(options, (req, res) => {
    if (req.url === '/first') return void (answerFirst = () => void res.end('first'));
    req.resume().on('end', () => {
      res.end(Buffer.from('second'));
      answered.push('second');
    });
  });
});
afterAll(() => server.close());
beforeEach(() => {
  answerFirst = undefined;
  answered = [];
});

const FIRST = 'GET /first HTTP/1.1\r\nHost: bridge.example\r\n\r\n';
const SECOND =
  'POST /second HTTP/1.1\r\nHost: bridge.example\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n';

async function openAndSend(text: string) {
  const socket = connect(server.port, '127.0.0.1').setEncoding('latin1');
  await once(socket, 'connect');
  const connection = { socket, received: '' };
  socket.on('data', (piece: string) => (connection.received += piece));
  socket.write(text);
  return connection;
}

const withoutHeaders = (text: string) => text.replaceAll(/^[\w-]+: .*\r\n/gm, '');

test('it is asked when its turn comes', async () => {
  const connection = await openAndSend(FIRST + SECOND);
  await until(() => answerFirst !== undefined);
  expect(connection.received).toBe('');
  answerFirst?.();
  await until(() => connection.received.includes('100 Continue\r\n\r\n'));
  connection.socket.write('body');
  await until(() => connection.received.endsWith('second'));
  expect(withoutHeaders(connection.received)).toBe(
    'HTTP/1.1 200 OK\r\n\r\nfirstHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\nsecond',
  );
  connection.socket.destroy();
});

test('a body that came before its turn is not asked for in the middle of its answer', async () => {
  const connection = await openAndSend(`${FIRST}${SECOND}body`);
  await until(() => answered.length === 1);
  answerFirst?.();
  await until(() => connection.received.endsWith('second'));
  expect(withoutHeaders(connection.received)).toBe(
    'HTTP/1.1 200 OK\r\n\r\nfirstHTTP/1.1 200 OK\r\n\r\nsecond',
  );
  connection.socket.destroy();
});
