import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { startServer } from '../../src/http/server.ts';
import { createLogger } from '../../src/shared/log/logger.ts';

/**
 * A turn of the event loop takes in one new connection. On a machine that is too busy a turn is so long that a stop would close
 * the door, which resets what the kernel holds, before all who came in time are taken in.
 */

const CALLERS = 40;
/** Milliseconds; all turns together take much longer than the second that a stop gives to callers who never cease to come. */
const TURN = 60;
/** Milliseconds for the next caller to come. */
const PATIENCE = 20_000;

/** A thread of its own: its calls arrive while the thread of the server does something else. */
const CALL = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { connect } = require('node:net');
  const { port, callers, sent } = workerData;
  const count = new Int32Array(sent);
  function call() {
    return new Promise((resolve) => {
      let text = '';
      const socket = connect(port, '127.0.0.1', () =>
        socket.write('GET / HTTP/1.1\\r\\nHost: l\\r\\n\\r\\n', () => {
          Atomics.add(count, 0, 1);
          Atomics.notify(count, 0);
        }));
      socket.on('data', (part) => (text += part));
      socket.on('error', ({ code }) => resolve(code));
      socket.on('close', () => resolve(text.split('\\r\\n')[0]));
    });
  }
  Promise.all(Array.from({ length: callers }, call)).then((answers) => parentPort.postMessage(answers));
`;

test('who came before the door closes is answered, however long a turn takes', async () => {
  const still = new Int32Array(new SharedArrayBuffer(4));
  const server = await startServer(
    { host: '127.0.0.1', port: 0, tls: undefined, logger: createLogger({ level: 'error', name: 'bridge' }) },
    (_req, res) => {
      Atomics.wait(still, 0, 0, TURN);
      res.end('answered');
    },
  );
  const sent = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(CALL, {
    eval: true,
    workerData: { port: server.port, callers: CALLERS, sent: sent.buffer },
  });
  await once(worker, 'online');
  for (let seen = 0; seen < CALLERS; seen = Atomics.load(sent, 0))
    if (Atomics.wait(sent, 0, seen, PATIENCE) === 'timed-out') throw new Error(`${seen} callers came`);
  const answers = once(worker, 'message');
  expect(await server.close()).toBe(0);
  expect(await answers).toEqual([Array.from({ length: CALLERS }, () => 'HTTP/1.1 200 OK')]);
});
