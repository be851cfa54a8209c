import fc from 'fast-check';
import { type Door, openDoor } from '../../endpoints/support/door.ts';
import { knock } from '../../endpoints/support/knock.ts';
import { connectReader, type Listed, type Reader, CHANNEL } from '../support/reader.ts';

/** Whatever the parameters of a list say, the answer is a page of the list or a refusal in the old form. */

let door: Door;
let reader: Reader;

beforeAll(async () => {
  door = await openDoor();
  reader = await connectReader(door);
  await reader.list('pending.json');
});

afterAll(() => door.stop());

const NAMES = ['page', 'count', 'since', 'utc', 'filter', 'count[]', 'callback', 'access_token[]'];

const value = fc.oneof(
  fc.integer({ min: -3, max: 130 }).map(String),
  fc.constantFrom(
    '',
    '0',
    '1',
    'true',
    'all',
    'default',
    '1700000000',
    '1e9',
    '0x10',
    ' 5',
    '٣',
    'NaN',
    'null',
  ),
  fc.string({ maxLength: 12 }),
);

const query = fc
  .array(fc.tuple(fc.constantFrom(...NAMES), value), { maxLength: 4 })
  .map((pairs) => new URLSearchParams(pairs.filter(([name]) => name !== 'access_token[]')).toString());

const path = fc.oneof(
  fc.constantFrom(`profiles/${CHANNEL}/updates/pending.json`, `profiles/${CHANNEL}/updates/sent`),
  fc.string({ maxLength: 30 }).map((id) => `updates/${encodeURIComponent(id)}.json`),
  fc.string({ maxLength: 30 }).map((id) => `profiles/${encodeURIComponent(id)}/updates/sent.json`),
);

test('two hundred calls that were drawn by chance', async () => {
  const headers = { authorization: `Bearer ${reader.token}` };
  await fc.assert(
    fc.asyncProperty(path, query, async (to, parameters) => {
      const answer = await knock(door, { path: `/1/${to}?${parameters}`, headers });
      expect([200, 400, 404, 406]).toContain(answer.status);
      if (answer.status !== 200)
        expect(answer.json).toMatchObject({ error: expect.any(String), code: expect.any(Number) });
      else
        expect((answer.json as Listed).total).toBeGreaterThanOrEqual((answer.json as Listed).updates.length);
    }),
    { numRuns: 200 },
  );
});

const LONG = 'a'.repeat(150);

test.each([
  ['a name that is too long', { [LONG]: 'x' }],
  ['a map with a name that is too long', { media: { [LONG]: 'x' } }],
  ['too many values', { page: Array.from({ length: 1001 }, () => '1') }],
])('a body with %s is refused by every call that reads it', async (_, body) => {
  const headers = { authorization: `Bearer ${reader.token}`, 'content-type': 'application/json' };
  for (const call of ['pending', 'sent']) {
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    const answer = await knock(door, { path: `/1/profiles/${CHANNEL}/updates/${call}.json`, ...request });
    expect([answer.status, answer.json]).toMatchObject([400, { error: expect.any(String), code: 1006 }]);
  }
});
