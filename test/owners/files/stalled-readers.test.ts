import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import express from 'express';
import { createOpenLimit } from '../../../src/http/owners/open-limit.ts';
import { type FileRow, sendRowFile } from '../../../src/http/pages/row-files.ts';

/** A reader of a file that stops reading gives its place back. Over real sockets, with a minute of one and a half seconds. */

const LEFT_AFTER = 1500;

/** More than the buffers of both sides hold. */
const ROWS = 40_000;

const WORD = 1000;

/** A row that no buffers hold. */
const LONG_WORD = 30_000_000;

const open = createOpenLimit({ ofOnePerson: 1, ofOneProcess: 1 });

let server: Server;
let port: number;
/** Whether the reading of the rows ended. */
let isReadOut: boolean;

interface RowPlan {
  pause?: number;
  most?: number;
  word?: number;
}

async function* rows({ pause = 0, most = ROWS, word = WORD }: RowPlan): AsyncGenerator<FileRow> {
  const text = 'x'.repeat(word);
  isReadOut = false;
  try {
    for (let n = 0; n < most; n += 1) {
      if (pause > 0) await delay(pause);
      yield { word: text };
    }
  } finally {
    isReadOut = true;
  }
}

beforeAll(async () => {
  const app = express();
  app.get('/file', async (req, res) => {
    const giveBack = open.take('somebody');
    if (typeof giveBack === 'string') return void res.status(429).end();
    const plan = Object.fromEntries(Object.entries(req.query).map(([name, given]) => [name, Number(given)]));
    const file = { name: 'file', columns: ['word'], head: {}, rows: rows(plan) };
    await sendRowFile(res, 'csv', { ...file, leftAfter: LEFT_AFTER }).finally(giveBack);
  });
  server = createServer(app);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ({ port } = server.address() as AddressInfo);
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function begin(query = '', connection = 'keep-alive'): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`GET /file${query} HTTP/1.1\r\nHost: bridge.example\r\nConnection: ${connection}\r\n\r\n`);
  await once(socket, 'readable');
  return socket;
}

const statusOf = async () => {
  const answer = await fetch(`http://127.0.0.1:${port}/file?most=1`);
  await answer.text();
  return answer.status;
};

async function isFreeWithin(most: number): Promise<boolean> {
  for (const end = performance.now() + most; performance.now() < end; await delay(50))
    if ((await statusOf()) === 200) return true;
  return false;
}

test.each([
  ['nothing at all', ''],
  ['the beginning of a next request', 'GET /another/file/that/is/asked/for/byte/by/byte HTTP/1.1'],
])(
  'a reader who takes nothing is left, and its place is free, whatever it sends: %s',
  async (_name, sent) => {
    const socket = await begin();
    const bytes = sent[Symbol.iterator]();
    const sending = setInterval(() => void socket.write(bytes.next().value ?? ''), 100);
    expect(await statusOf()).toBe(429);
    const isFree = await isFreeWithin(6 * LEFT_AFTER);
    clearInterval(sending);
    socket.destroy();
    expect([isFree, isReadOut]).toEqual([true, true]);
  },
);

test('a reader who does not take the end of a file is left too', async () => {
  const socket = await begin(`?most=1&word=${LONG_WORD}`);
  expect(await statusOf()).toBe(429);
  const isFree = await isFreeWithin(6 * LEFT_AFTER);
  socket.destroy();
  expect(isFree).toBe(true);
});

/** All that comes, with a pause after each piece. */
async function takeSlowly(socket: Socket, pause: number): Promise<number> {
  let bytes = 0;
  for await (const piece of socket) {
    bytes += (piece as Buffer).length;
    await delay(pause);
  }
  return bytes;
}

test.each([
  ['a slow reader', '', 10],
  ['a slow database', `?most=3&pause=${LEFT_AFTER * 1.5}`, 0],
])('a slow reader, and a slow database, get the file whole: %s', async (_name, query, pause) => {
  const begun = performance.now();
  const bytes = await takeSlowly(await begin(query, 'close'), pause);
  expect(performance.now() - begun).toBeGreaterThan(2 * LEFT_AFTER);
  expect(bytes).toBeGreaterThan((query === '' ? ROWS : 3) * WORD);
});
