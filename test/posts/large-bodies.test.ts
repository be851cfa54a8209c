import { type RawAnswer, type RawRequest, sendRaw } from '../support/raw-request.ts';
import { type Bakery, openBakery } from './support/bakery.ts';
import { CHANNELS } from './support/posts.ts';

/** Bodies of a create that have more in them than any call needs: each is refused, and the refusal names the parameter. */

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
