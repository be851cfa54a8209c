import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { send } from '../../src/upstream/http-client.ts';
import { portOf } from '../support/servers/free-port.ts';

/** Reads of the new API whose answers come packed. */

let server: Server;
let asked: IncomingHttpHeaders = {};
let answer: { coding?: string; body: Buffer } = { body: Buffer.alloc(0) };

beforeAll(async () => {
  server = createServer((request, response) => {
    asked = request.headers;
    response.writeHead(200, answer.coding === undefined ? {} : { 'Content-Encoding': answer.coding });
    response.end(answer.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const ask = (headers: Record<string, string> = {}) =>
  send({ method: 'POST', url: `http://127.0.0.1:${portOf(server)}/`, headers, body: '{"a":"ä"}' });

const TEXT = '{"name":"Zoë"}';

const PACKED: Array<[coding: string, body: Buffer]> = [
  ['gzip', gzipSync(TEXT)],
  ['GZIP', gzipSync(TEXT)],
  ['x-gzip', gzipSync(TEXT)],
  ['deflate', deflateSync(TEXT)],
  ['deflate', deflateRawSync(TEXT)],
  ['br', brotliCompressSync(TEXT)],
  ['identity', Buffer.from(TEXT)],
];

test.each(PACKED)('an answer in %s is read', async (coding, body) => {
  answer = { coding, body };
  expect(await ask()).toMatchObject({ status: 200, body: TEXT });
  answer = { coding, body: Buffer.alloc(0) };
  expect(await ask()).toMatchObject({ status: 200, body: '' });
});

test.each<[what: string, coding: string, body: Buffer]>([
  ['is not packed as it says', 'gzip', Buffer.from(TEXT)],
  ['is cut short', 'br', brotliCompressSync(TEXT).subarray(0, 9)],
  ['is short as it comes and too long unpacked', 'gzip', gzipSync('x'.repeat(5_000_000))],
])('an answer that %s is no answer, and its failure holds nothing of it', async (_what, coding, body) => {
  answer = { coding, body };
  const failure = await ask().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Error);
  expect(Object.keys(failure as Error)).toEqual(['code']);
});

test('a longer answer than the limit is given up', async () => {
  answer = { body: Buffer.alloc(5_000_000, 'x') };
  await expect(ask()).rejects.toThrow('too long');
});

test('a byte order mark is no part of the text', async () => {
  answer = { body: Buffer.from(`\uFEFF${TEXT}`) };
  expect(await ask()).toMatchObject({ body: TEXT });
});

test('a request names its program, the length of its body and what it can read, each once', async () => {
  answer = { body: Buffer.from(TEXT) };
  await ask({ accept: 'text/html' });
  expect(asked).toMatchObject({
    accept: 'text/html',
    'accept-encoding': 'gzip, deflate, br',
    'content-length': '10',
    'user-agent': 'grantbridge',
  });
});
