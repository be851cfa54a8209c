import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { newLegacyToken } from '../../src/shared/ids.ts';
import { until } from '../support/servers/held-answer.ts';
import { issueToken } from '../support/callers/legacy-calls.ts';
import { type RawAnswer, rawForm, type RawRequest, sendRaw } from '../support/callers/raw-request.ts';
import { type Bakery, openBakery } from './support/bakery.ts';
import { CHANNELS } from './support/posts.ts';

/**
 * Bodies of a create that are large or have more in them than any call needs. What is too much is refused, and the refusal
 * names the parameter; what the call does not need is ignored.
 */

let bakery: Bakery;
let before: number;

beforeAll(async () => {
  bakery = await openBakery();
});

afterAll(() => bakery.system.stop());

beforeEach(async () => {
  before = (await bakery.rows()).length;
});

const create = ({
  headers,
  body,
}: Pick<RawRequest, 'headers'> & { body: string | Buffer }): Promise<RawAnswer> =>
  sendRaw(bakery.system.bridgeUrl, {
    method: 'POST',
    path: '/1/updates/create.json',
    headers: { ...headers, authorization: `Bearer ${bakery.token}` },
    body,
  });

const JSON_TYPE = { 'content-type': 'application/json' };

const post = { profile_ids: [CHANNELS.twitter], text: 'x' };

async function expectRefusal(answer: RawAnswer, words: string): Promise<void> {
  expect([answer.status, answer.json]).toEqual([
    400,
    {
      success: false,
      code: 1006,
      error: expect.stringContaining(words),
      message: (answer.json as { error: string }).error,
      link: `${bakery.system.bridgeUrl}/lifecycle`,
    },
  ]);
  expect(await bakery.rows()).toHaveLength(before);
}

const MANY = Array.from({ length: 1450 }, (_, n) => n);

test.each([
  ['a long name of a parameter', { ['k'.repeat(230_000)]: { a: 'x' } }, `The parameter ${'k'.repeat(100)}…`],
  ['a long name in a map', { media: { ['k'.repeat(230_000)]: 'x' } }, 'The parameter media '],
  [
    'many values under a long name',
    { media: { ['k'.repeat(230_000)]: Object.fromEntries(MANY.map((n) => [`a${n}`, ''])) } },
    'The parameter media ',
  ],
  ['many values', { profile_ids: MANY }, 'The parameter profile_ids '],
])('JSON with %s', async (_, more, words) => {
  await expectRefusal(
    await create({ headers: JSON_TYPE, body: JSON.stringify({ ...post, ...more }) }),
    words,
  );
});

const field = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

const multipart = (parts: string[]) =>
  create({
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    body: `${parts.join('')}--b--\r\n`,
  });

test('a multipart body of many profiles names the parameter', async () => {
  const ids = Array.from({ length: 200 }, (_, n) => field('profile_ids[]', String(n).padStart(24, '0')));
  await expectRefusal(await multipart([field('text', 'x'), ...ids]), 'The parameter profile_ids ');
});

test.each(['media[photo]', 'media[video]', 'media'])('a file under %s is refused in words', async (name) => {
  const file = `--b\r\nContent-Disposition: form-data; name="${name}"; filename="a.png"\r\nContent-Type: image/png\r\n\r\nPNG\r\n`;
  const answer = await multipart([field('profile_ids[]', CHANNELS.twitter), field('text', 'x'), file]);
  expect([answer.status, answer.json]).toMatchObject([
    400,
    { success: false, code: 1031, error: expect.stringContaining(`${name} `) },
  ]);
  expect(await bakery.rows()).toHaveLength(before);
});

const MEGABYTES = 1024 * 1024;

/** A body of these bytes with a file in it, as libraries send one that was given to them. */
function withFile(name: string, fields: Record<string, string>, size = 9 * MEGABYTES): Buffer {
  const own = Object.entries(fields).map(([key, value]) => field(key, value));
  const head = `--b\r\nContent-Disposition: form-data; name="${name}"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\n`;
  return Buffer.concat([Buffer.from(own.join('') + head), randomBytes(size), Buffer.from('\r\n--b--\r\n')]);
}

const FIELDS = { 'profile_ids[]': CHANNELS.twitter };
const MULTIPART_TYPE = { 'content-type': 'multipart/form-data; boundary=b' };
const much = () => 'x'.repeat(9 * MEGABYTES);

async function expectPosted(answer: RawAnswer, text: string): Promise<void> {
  expect([answer.status, answer.json]).toMatchObject([200, { success: true, updates: [{ text }] }]);
  expect(await bakery.made(text)).toHaveLength(1);
}

test.each<[string, Record<string, string>, (text: string) => string | Buffer]>([
  ['a file that no call takes', MULTIPART_TYPE, (text) => withFile('file', { ...FIELDS, text })],
  [
    'a field that no call takes',
    MULTIPART_TYPE,
    (text) =>
      `${field('profile_ids[]', CHANNELS.twitter)}${field('text', text)}${field('more', much())}--b--\r\n`,
  ],
  [
    'a form',
    { 'content-type': 'application/x-www-form-urlencoded' },
    (text) => new URLSearchParams({ ...FIELDS, text, more: much() }).toString(),
  ],
  ['JSON', JSON_TYPE, (text) => JSON.stringify({ profile_ids: [CHANNELS.twitter], text, more: much() })],
])('a known token may send 9 MB: %s', async (name, headers, bodyOf) => {
  const text = `Large as ${name}`;
  await expectPosted(await create({ headers, body: bodyOf(text) }), text);
});

test('the token may stand in the query, with its slash as it is', async () => {
  const answer = await sendRaw(bakery.system.bridgeUrl, {
    method: 'POST',
    path: `/1/updates/create.json?access_token=${bakery.token}`,
    headers: MULTIPART_TYPE,
    body: withFile('file', { ...FIELDS, text: 'By the query' }),
  });
  await expectPosted(answer, 'By the query');
});

test('a picture of 9 MB, and a text of 9 MB, are refused in words', async () => {
  const picture = await create({
    headers: MULTIPART_TYPE,
    body: withFile('media[photo]', { ...FIELDS, text: 'x' }),
  });
  expect([picture.status, picture.json]).toMatchObject([400, { success: false, code: 1031 }]);
  const long = await create({ headers: JSON_TYPE, body: JSON.stringify({ ...post, text: much() }) });
  expect([long.status, long.json]).toMatchObject([400, { success: false, code: 1004 }]);
  expect(await bakery.rows()).toHaveLength(before);
});

const TOO_LARGE = {
  success: false,
  code: 413,
  error: 'The request is too large.',
  message: 'The request is too large.',
};

test.each<[string, () => Partial<RawRequest>]>([
  ['10 MB with a known token', () => ({ headers: bearer(), body: Buffer.alloc(10 * MEGABYTES + 1) })],
  [
    '256 kB with an unknown token',
    () => ({
      headers: { authorization: `Bearer ${newLegacyToken()}` },
      body: Buffer.alloc(256 * 1024 + 1),
    }),
  ],
  [
    '256 kB with a token in the body',
    () =>
      rawForm(new URLSearchParams({ access_token: bakery.token, more: 'x'.repeat(256 * 1024) }).toString()),
  ],
  ['256 kB without a token', () => ({ body: Buffer.alloc(256 * 1024 + 1) })],
])('more than %s is 413, as a refusal of a write', async (_, content) => {
  const answer = await sendRaw(bakery.system.bridgeUrl, {
    method: 'POST',
    path: '/1/updates/create.json',
    ...content(),
  });
  const link = `${bakery.system.bridgeUrl}/lifecycle`;
  expect([answer.status, answer.json]).toEqual([413, { ...TOO_LARGE, link }]);
  expect(await bakery.rows()).toHaveLength(before);
});

const bearer = (token = bakery.token) => ({ authorization: `Bearer ${token}` });

/** A create whose body goes out in pieces; nothing says before how long it is unless a length is given. */
function begin(token: string, headers: Record<string, string>) {
  const { hostname, port } = new URL(bakery.system.bridgeUrl);
  const sent = request({
    hostname,
    port,
    method: 'POST',
    path: '/1/updates/create.json',
    headers: { ...bearer(token), ...headers },
    agent: false,
  });
  const status = new Promise<number>((resolve) => {
    sent.once('response', (answer) => resolve(answer.resume().statusCode ?? 0));
    sent.once('error', () => resolve(0));
  });
  return { sent, status };
}

test.each([
  ['a known', 200],
  ['an unknown', 413],
])('a body that tells no length, with %s token', async (whose, expected) => {
  const { sent, status } = begin(whose === 'a known' ? bakery.token : newLegacyToken(), MULTIPART_TYPE);
  sent.end(withFile('file', { ...FIELDS, text: `Of ${whose} token` }, MEGABYTES));
  expect(await status).toBe(expected);
});

test('an app that sends many large bodies at once has half of the places, and the next app is answered', async () => {
  const app = await bakery.system.registerApp('https://another.example/callback');
  const other = await issueToken(bakery.system, { app });
  const body = withFile('file', { ...FIELDS, text: 'Slow' }, MEGABYTES);
  const headers = { ...MULTIPART_TYPE, 'content-length': String(body.length) };
  const statuses: number[] = [];
  const slow = Array.from({ length: 10 }, () => begin(bakery.token, headers));
  for (const { sent, status } of slow) {
    sent.write(body.subarray(0, 300 * 1024));
    void status.then((one) => statuses.push(one));
  }
  await until(() => statuses.length === 6, 25_000);
  expect(statuses).toEqual(Array.from({ length: 6 }, () => 503));
  const text = 'Of the next app';
  const answer = await sendRaw(bakery.system.bridgeUrl, {
    method: 'POST',
    path: '/1/updates/create.json',
    headers: { ...MULTIPART_TYPE, ...bearer(other) },
    body: withFile('file', { ...FIELDS, text }),
  });
  await expectPosted(answer, text);
  for (const { sent } of slow) sent.destroy();
  await until(() => statuses.length === 10);
});
