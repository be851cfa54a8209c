import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { jsonIn } from '../../src/domain/translation/unpack.ts';

/** The JSON in an answer of the old API, in whatever encoding the caller of the bridge chose. */

const VALUE = { a: ['é'.repeat(50)] };
const TEXT = Buffer.from(JSON.stringify(VALUE));

const read = (body: Buffer, rawHeaders: string[], longest = 1000) =>
  jsonIn({ status: 200, reason: 'OK', rawHeaders, body }, longest);

test.each<[string, (text: Buffer) => Buffer]>([
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['identity', (text) => text],
  ['', (text) => text],
  [' GZIP ', gzipSync],
])('a body in %j is read, and none that is longer than allowed', (encoding, pack) => {
  const headers = ['Date', 'now', 'Content-Encoding', encoding];
  expect(read(pack(TEXT), headers)).toEqual(VALUE);
  expect(read(pack(TEXT), headers, TEXT.length)).toEqual(VALUE);
  expect(read(pack(TEXT), headers, TEXT.length - 1)).toBeUndefined();
});

test('without the header a body is plain, also where a value looks like the name of the header', () => {
  expect(read(TEXT, [])).toEqual(VALUE);
  expect(read(TEXT, ['X-Hides', 'Content-Encoding', 'gzip', 'x'])).toEqual(VALUE);
  expect(read(TEXT, ['Content-Encoding'])).toEqual(VALUE);
});

test.each<[string, Buffer, string[]]>([
  ['an encoding that nobody knows', TEXT, ['Content-Encoding', 'zstd']],
  ['a body that is not packed as it says', TEXT, ['Content-Encoding', 'gzip']],
  ['HTML', Buffer.from('<html>'), []],
  ['no body', Buffer.alloc(0), []],
])('%s holds nothing', (_what, body, headers) => {
  expect(read(body, headers)).toBeUndefined();
});
