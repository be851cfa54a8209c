import fc from 'fast-check';
import { json, multipart, type RawRequest, rawForm, sendRaw } from '../../support/callers/raw-request.ts';
import { type Bakery, openBakery } from '../support/bakery.ts';
import { BAKERY, CHANNELS, realPosts } from '../support/posts.ts';

/** Whatever a create says, the answer is a refusal in the old form, or it names every post that was made. */

let bakery: Bakery;

beforeAll(async () => {
  bakery = await openBakery();
});

afterAll(() => bakery.system.stop());

const NAMES = [
  'text',
  'now',
  'top',
  'scheduled_at',
  'shorten',
  'attachment',
  'is_draft',
  'media',
  'media[]',
  'media[link]',
  'media[photo]',
  'media[picture]',
  'media[title]',
  'media[photo][url]',
  'retweet[tweet_id]',
  'retweet[comment]',
  'subprofile_ids[]',
  'profile_ids',
  'profile_ids[0]',
  'profile_ids[x]',
  '__proto__[text]',
];

const known = fc.constantFrom(
  'true',
  'false',
  '1',
  '0',
  'null',
  '',
  '4102444800',
  '1700000000',
  '2027-01-01',
  '2027-01-01T10:00:00+02:00',
  'https://images.example/a.png',
  'javascript:alert(1)',
  'breads',
  '20',
  'Brot & Butter 🥐',
  ...Object.values(CHANNELS),
);

const value = fc.oneof(
  { weight: 4, arbitrary: known },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
);

/** Pairs that mean something, so that many calls get as far as the new API. */
const meant = fc.constantFrom<[string, string]>(
  ['text', 'Brot & Butter 🥐'],
  ['now', 'true'],
  ['top', '1'],
  ['is_draft', 'true'],
  ['scheduled_at', '2027-01-01T10:00:00+02:00'],
  ['media[link]', 'https://shop.example/'],
  ['media[photo]', 'https://images.example/a.png'],
  ['media[picture]', 'https://images.example/b.png'],
  ['subprofile_ids[]', 'breads'],
);

const anyPair = fc.tuple(fc.constantFrom(...NAMES), value);

const pairs = fc.array(fc.oneof({ weight: 5, arbitrary: meant }, { weight: 1, arbitrary: anyPair }), {
  minLength: 1,
  maxLength: 4,
});

const profiles = fc.array(fc.constantFrom(...Object.values(CHANNELS), 'nobody'), {
  minLength: 1,
  maxLength: 3,
});

interface Drawn {
  ids: string[];
  fields: Array<[string, string]>;
  kind: 'form' | 'multipart' | 'json';
  nested: unknown;
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  ids: profiles,
  fields: pairs,
  kind: fc.constantFrom('form', 'multipart', 'json'),
  nested: fc.oneof(fc.constant(null), fc.jsonValue({ maxDepth: 3 })),
});

function bodyOf({ ids, fields, kind, nested }: Drawn): Pick<RawRequest, 'headers' | 'body'> {
  const named = ids.map((id): [string, string] => ['profile_ids[]', id]);
  if (kind === 'form') return rawForm(new URLSearchParams([...named, ...fields]).toString());
  if (kind === 'multipart') return multipart(Object.fromEntries([...named, ...fields]));
  return json({ ...Object.fromEntries(fields), profile_ids: ids, shorten: nested });
}

interface Answer {
  success: boolean;
  error?: unknown;
  code?: unknown;
  updates?: Array<{ id: string }>;
}

test('a thousand creates that were drawn by chance', async () => {
  const told = new Set<string>();
  const authorization = `Bearer ${bakery.token}`;
  await fc.assert(
    fc.asyncProperty(drawn, async (one) => {
      const body = bodyOf(one);
      const answer = await sendRaw(bakery.system.bridgeUrl, {
        method: 'POST',
        path: '/1/updates/create.json',
        ...body,
        headers: { ...body.headers, authorization },
      });
      const { success, error, code, updates } = answer.json as Answer;
      expect([200, 400, 403, 404]).toContain(answer.status);
      expect(success).toBe(answer.status === 200);
      if (!success) expect([typeof error, typeof code]).toEqual(['string', 'number']);
      for (const { id } of updates ?? []) told.add(id);
    }),
    { numRuns: 1000, seed: 18 },
  );
  const { context } = bakery.system.bridge;
  const apiUrl = bakery.system.proxy.origin;
  const organizations = [BAKERY, '5e1f0c9a7b3d4e2f8a6c2d02'];
  const began = (await bakery.rows())[0]?.sent_at ?? 0;
  const lists = await Promise.all(
    organizations.map((organizationId) => realPosts(context, { apiUrl, since: began, organizationId })),
  );
  const made = lists.flat().filter(({ text }) => text !== 'The account is known');
  expect(made.filter(({ id }) => !told.has(id))).toEqual([]);
  expect(told.size).toBeGreaterThan(50);
});
