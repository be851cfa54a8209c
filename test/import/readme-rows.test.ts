import { RowRefused } from '../../src/domain/import/refusals.ts';
import { readRow } from '../../src/domain/import/reading/rows.ts';
import { KNOWN_FIELDS } from '../../src/domain/import/reading/unknown-fields.ts';
import { sha256Of } from '../../src/shared/secrets.ts';
import { HELD, readDocument } from '../support/guidance.ts';

/** The document of the import says what a row of an import needs, and what its fields must be. */

const document = readDocument(HELD.importRows);
const SECRET = `1/${'0'.repeat(32)}`;
const DIGEST = sha256Of(SECRET).toString('hex');
const ID = 'Id_of-64';

/** For each field what it may be, and what it may not be. */
const VALUES: { [field: string]: { good: string[]; bad: string[] } } = {
  client_id: { good: ['a'.repeat(24)], bad: ['A'.repeat(24), 'a'.repeat(23)] },
  name: { good: ['An App', 'n'.repeat(200)], bad: ['n'.repeat(201)] },
  client_secret: { good: [SECRET, 'x'.repeat(16), 'x'.repeat(512)], bad: ['x'.repeat(15), 'x'.repeat(513)] },
  access_token: {
    good: [SECRET, 'x'.repeat(16)],
    bad: ['x'.repeat(15), `1%2F${'0'.repeat(32)}`, `1/${'0 '.repeat(16)}1`],
  },
  client_secret_sha256: { good: [DIGEST], bad: [DIGEST.slice(1)] },
  access_token_sha256: { good: [DIGEST, DIGEST.toUpperCase()], bad: [`x${DIGEST.slice(1)}`] },
  owner_email: { good: ['o@app.example'], bad: ['nobody'] },
  account_email: { good: ['o@app.example'], bad: ['nobody'] },
  email: { good: ['o@app.example'], bad: ['nobody'] },
  contacts: { good: ['o@app.example p@app.example'], bad: ['o@app.example nobody'] },
  owner_account_id: { good: [ID, 'x'.repeat(64)], bad: ['x'.repeat(65)] },
  account_id: { good: [ID], bad: ['a b'] },
  legacy_id: { good: [ID], bad: ['a/b'] },
  modern_id: { good: [ID], bad: ['a.b'] },
  callback_urls: {
    good: ['http://a.example/', 'my-app://back https://a.example/'],
    bad: [
      '/relative',
      'https://a.example/#x',
      'javascript:1',
      'data:x',
      'vbscript:x',
      'file:///x',
      'blob:x',
      'about:x',
    ],
  },
  created_at: { good: ['2020-01-01', '1577836800'], bad: ['1999-12-31', '2999-01-01', 'yesterday'] },
  last_used_at: { good: ['2020-01-01T00:00:00Z'], bad: ['2020-02-30'] },
};

const namesIn = (text: string) => [...text.matchAll(/`(\w+)`/g)].map((match) => String(match[1]));
/** `a`, `b` or `c`: each part is one field, or names alternatives. */
const choicesIn = (cell: string) => cell.split(',').map(namesIn);

const rows = [...document.matchAll(/^\| `(app|profile|account|token)` \| ([^|]+) \| ([^|]*)\|$/gm)].map(
  ([, type = '', needs = '', may = '']) => ({ type, needs: choicesIn(needs), may: namesIn(may) }),
);

const goodOf = (name: string) => VALUES[name]?.good[0] ?? '';

function refusalOf(type: string, given: Record<string, string>): string | undefined {
  try {
    readRow({ line: 1, now: Date.UTC(2026, 0, 1), fields: new Map(Object.entries({ type, ...given })) });
    return undefined;
  } catch (error) {
    if (error instanceof RowRefused) return error.message;
    throw error;
  }
}

const withGood = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, goodOf(name)]));

/** One field of each choice: the first ones, but for one choice. */
const picked = (needs: string[][], at = -1, other = '') =>
  needs.map((choice, index) => (index === at ? other : String(choice[0])));

test('the document names every type of row and every field that is read, and no other', () => {
  expect(rows.map(({ type }) => type)).toEqual(['app', 'profile', 'account', 'token']);
  const named = rows.map(({ type, needs, may }) => [type, new Set([...needs.flat(), ...may])] as const);
  expect(new Map(named)).toEqual(KNOWN_FIELDS);
  const described = document.split('| field | what it must be |')[1]?.split('\n\n')[0] ?? '';
  const ruled = [...described.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = '']) => namesIn(cell));
  expect(ruled.toSorted()).toEqual(Object.keys(VALUES).toSorted());
  expect(new Set(ruled)).toEqual(new Set([...KNOWN_FIELDS.values()].flatMap((names) => [...names])));
});

test.each(rows)(
  '$type: what the document says that it needs is enough, and each of it is needed',
  ({ type, needs, may }) => {
    for (const [at, choice] of needs.entries()) {
      for (const name of choice)
        expect([name, refusalOf(type, withGood(picked(needs, at, name)))]).toEqual([name, undefined]);
      const without = picked(needs).filter((_, index) => index !== at);
      const refusal = refusalOf(type, withGood(without));
      expect(refusal).toMatch(/: is missing$/);
      for (const name of choice) expect(refusal).toContain(name);
    }
    expect(refusalOf(type, withGood([...needs.flat(), ...may]))).toBeUndefined();
  },
);

test.each(rows)('$type: its fields must be what the document says', ({ type, needs, may }) => {
  for (const name of [...needs.flat(), ...may]) {
    const at = needs.findIndex((choice) => choice.includes(name));
    const others = withGood(picked(needs, at, name));
    for (const value of VALUES[name]?.good ?? [])
      expect([name, value, refusalOf(type, { ...others, [name]: value })]).toEqual([name, value, undefined]);
    for (const value of VALUES[name]?.bad ?? [])
      expect([value, refusalOf(type, { ...others, [name]: value })]).toEqual([
        value,
        expect.stringMatching(`^${name}: `),
      ]);
  }
});
