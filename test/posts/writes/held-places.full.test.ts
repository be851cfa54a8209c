import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { brotliCompressSync, constants, createGzip, deflateSync, gzipSync } from 'node:zlib';
import { until } from '../../support/servers/held-answer.ts';
import { issueToken } from '../../support/callers/legacy-calls.ts';
import { rawForm, sendRaw } from '../../support/callers/raw-request.ts';
import { type Bakery, openBakery } from '../support/bakery.ts';
import { CHANNELS } from '../support/posts.ts';

/** The places of large bodies: what is small needs none, and what fails or rests keeps none. */

/** An app alone may have so many. */
const OF_ONE_APP = 4;
/** More than all of them. */
const MANY = 10;
const LARGE = 300 * 1024;

let bakery: Bakery;
const open = new Set<Socket>();

beforeAll(async () => {
  bakery = await openBakery();
});

afterEach(() => {
  for (const socket of open) socket.destroy();
  open.clear();
});

afterAll(() => bakery.system.stop());

interface Begun {
  socket: Socket;
  /** Everything that was answered so far. */
  answered: () => string;
}

/** A create of a known token, of whose body only the beginning is sent. */
async function begin(headers: string[], body: Buffer | string, token = bakery.token): Promise<Begun> {
  const { hostname, port } = new URL(bakery.system.bridgeUrl);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  open.add(socket);
  let answered = '';
  socket.on('data', (bytes: Buffer) => {
    answered += bytes.toString('latin1');
  });
  await once(socket, 'connect');
  const head = [
    'POST /1/updates/create.json HTTP/1.1',
    'Host: b',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/x-www-form-urlencoded',
    ...headers,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  await new Promise((resolve) => {
    socket.write(body, resolve);
  });
  return { socket, answered: () => answered };
}

const beginMany = (count: number, headers: string[], body: Buffer | string) =>
  Promise.all(Array.from({ length: count }, () => begin(headers, body)));

const formOf = (text: string, more = '') =>
  new URLSearchParams({ 'profile_ids[]': CHANNELS.twitter, text, ...(more && { more }) }).toString();

/** A form that is sent whole, packed or not. */
async function create(text: string, { more = '', isPacked = false } = {}): Promise<number> {
  const form = rawForm(formOf(text, more), {
    authorization: `Bearer ${bakery.token}`,
    ...(isPacked && { 'content-encoding': 'gzip' }),
  });
  const body = isPacked ? gzipSync(form.body ?? '') : form.body;
  const sent = { method: 'POST', path: '/1/updates/create.json', ...form, ...(body && { body }) };
  const { status } = await sendRaw(bakery.system.bridgeUrl, sent);
  return status;
}

/** As many bodies as the app has places hold one each, at the same time. */
const takeAllPlaces = () =>
  Promise.all(Array.from({ length: OF_ONE_APP }, (_, n) => createLarge(`All ${n}`)));
const createLarge = (text: string) => create(text, { more: 'x'.repeat(LARGE) });
const ALL = Array.from({ length: OF_ONE_APP }, () => 200);

/** The beginning of a packed body, which unpacks to so many bytes; its end is missing. */
async function beginningOfGzip(bytes: number): Promise<Buffer> {
  const gzip = createGzip();
  gzip.write('x'.repeat(bytes));
  gzip.flush(constants.Z_SYNC_FLUSH);
  const chunks: Buffer[] = [];
  gzip.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise<void>((resolve) => {
    gzip.flush(() => resolve());
  });
  return Buffer.concat(chunks);
}

const CHUNKED = 'Transfer-Encoding: chunked';
const chunk = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

test('small bodies that tell no length or come packed hold no place, however slowly they come', async () => {
  await beginMany(MANY, [CHUNKED], '5\r\ntext=\r\n');
  const packed = await beginningOfGzip(1000);
  await beginMany(MANY, ['Content-Length: 5000', 'Content-Encoding: gzip'], packed);
  expect(await create('Beside slow ones')).toBe(200);
  expect(await create('Packed beside slow ones', { isPacked: true })).toBe(200);
  expect(await takeAllPlaces()).toEqual(ALL);
});

test('a body that unpacks to more than anybody may send needs a place, however small it comes', async () => {
  const packed = chunk(await beginningOfGzip(LARGE));
  expect(packed.length).toBeLessThan(5000);
  const begun = await beginMany(OF_ONE_APP + 1, [CHUNKED, 'Content-Encoding: gzip'], packed);
  await until(
    () => begun.filter(({ answered }) => answered().startsWith('HTTP/1.1 503 ')).length === 1,
    20_000,
  );
  expect(await create('Beside packed ones', { isPacked: true })).toBe(200);
});

const WHOLE = Buffer.from(formOf('Never posted', 'y'.repeat(LARGE)));

/** Half of a body, and its coding. */
const CODINGS: ReadonlyArray<[coding: string, whole: Buffer]> = [
  ['identity', WHOLE],
  ['gzip', gzipSync(WHOLE, { level: 0 })],
  ['deflate', deflateSync(WHOLE, { level: 0 })],
  ['br', brotliCompressSync(WHOLE)],
];

test.each(CODINGS)(
  'a connection that is cut in the middle of a body keeps no place: %s',
  async (coding, whole) => {
    const headers = [`Content-Length: ${whole.length}`, `Content-Encoding: ${coding}`];
    for (const share of [0.01, 0.5, 0.95]) {
      const begun = await beginMany(MANY, headers, whole.subarray(0, Math.floor(share * whole.length)));
      for (const { socket } of begun) socket.destroy();
    }
    expect(await takeAllPlaces()).toEqual(ALL);
  },
);

test.each([
  ['ends early', (whole: Buffer) => whole.subarray(0, -20)],
  ['is broken', (whole: Buffer) => Buffer.concat([whole.subarray(0, -20), Buffer.alloc(20, 7)])],
  ['is not packed', () => WHOLE],
])('a packed body that %s keeps no place', async (_, spoil) => {
  for (const [coding, whole] of CODINGS.slice(1)) {
    const body = spoil(whole);
    const headers = [`Content-Length: ${body.length}`, `Content-Encoding: ${coding}`];
    const begun = await beginMany(MANY, headers, body);
    await until(() => begun.every(({ answered }) => /^HTTP\/1\.1 [45]/.test(answered())), 20_000);
    for (const { socket } of begun) socket.destroy();
  }
  expect(await takeAllPlaces()).toEqual(ALL);
});

test('a body that rests in its place loses it, and is told that it could not be read', async () => {
  const begun = await beginMany(OF_ONE_APP, [`Content-Length: ${2 * LARGE}`], Buffer.alloc(LARGE, 'x'));
  await until(() => begun.every(({ answered }) => answered().startsWith('HTTP/1.1 400 ')), 25_000);
  expect(await takeAllPlaces()).toEqual(ALL);
}, 60_000);

test('the body of a token that has ended is not read: its call is refused at once', async () => {
  const app = await bakery.system.registerApp('https://ended-app.example/callback');
  const token = await issueToken(bakery.system, { app });
  const end = { path: '/1/user/deauthorize.json', headers: { authorization: `Bearer ${token}` } };
  expect((await sendRaw(bakery.system.bridgeUrl, { method: 'POST', ...end })).status).toBe(200);
  const length = `Content-Length: ${9 * 1024 * 1024}`;
  const begun = await Promise.all(
    Array.from({ length: MANY }, () => begin([length], Buffer.alloc(LARGE, 'a'), token)),
  );
  for (const { answered } of begun) await until(() => answered().startsWith('HTTP/1.1 401 '));
  expect(await create('Beside ended ones', { more: 'x'.repeat(LARGE) })).toBe(200);
});
