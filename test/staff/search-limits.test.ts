import { randomBytes } from 'node:crypto';
import { appsByName } from '../../src/domain/support/search/search-names.ts';
import { harmlessText, QUERY_MAX, readQuery } from '../../src/domain/support/search/read-query.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { upsertAccount } from '../../src/store/accounts/accounts.ts';
import { accountsNamed } from '../../src/store/support/support-search.ts';
import { browserOf, DANA, pressIn, wordsOf } from '../owners/support/people.ts';
import { databaseKinds, openTwoStores } from '../store/support/stores.ts';
import type { CookieWalker, Page } from '../support/callers/cookie-walker.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { testInProcess } from '../support/jest/test-mode.ts';
import { leastTime } from '../support/least-time.ts';
import { staffBrowser } from './support/staff-browser.ts';

/** What a search and an export may cost, whatever is typed and however many apps there are. */

let system: System;
let sam: CookieWalker;

beforeAll(async () => {
  system = await startSystem();
  await browserOf(system, DANA);
  sam = await staffBrowser(system, 'reader');
});

afterAll(() => system.stop());

const durable = () => system.bridge.context.store.durable;

async function searchFor(q: string): Promise<Page> {
  return pressIn(sam, await sam.get(`${system.bridgeUrl}/support`), /^Search$/, { q });
}

test.each(['a', '"', '\\', 'a@', ' ', 'token ', '1/', '%25', '"a', 'x.', 'Bearer '])(
  'a text of nothing but %j is read at once',
  (piece) => {
    const text = `x${piece.repeat((QUERY_MAX - 2) / piece.length)}x`;
    const readOften = () => {
      for (let times = 0; times < 20; times += 1) {
        readQuery(text);
        harmlessText(text, new Set());
      }
    };
    expect(leastTime(readOften)).toBeLessThan(2000);
  },
);

test.each([
  ['after a name', 'Dana <dana@people.example>, again', 'dana@people.example'],
  ['in capitals', '"DANA@people.example".', 'dana@people.example'],
  ['that is too long for one', `${'x'.repeat(300)}@people.example`, undefined],
  ['in a long text', `mailto:dana@people.example ${'x'.repeat(1500)}`, 'dana@people.example'],
])('an address %s is read as what it is', (_, text, email) => {
  expect(readQuery(text)?.email).toBe(email);
});

test('a text that is too long is not looked for, and the page says how long it may be', async () => {
  const page = await searchFor(`system ${'ab12'.repeat(QUERY_MAX / 4)}`);
  expect(page.status).toBe(422);
  expect(wordsOf(page)).toContain('2,000 characters at most');
  expect(page.body).not.toContain('ab12ab12');
  expect((await searchFor('"'.repeat(QUERY_MAX))).status).toBe(303);
});

test('a contact is found in whatever letters it was typed', async () => {
  const { clientId } = await system.registerApp('https://contacts.example/callback');
  await durable()
    .insertInto('app_contacts')
    .values({ client_id: clientId, address: 'Dev.Team@People.Example' })
    .execute();
  expect((await searchFor('dev.team@people.example')).location).toBe(`/support/apps/${clientId}`);
});

test('a person is found by the name or by three letters of it, in whatever letters they are', async () => {
  const ids = ['aa', 'bb', 'cc'].map((end) => end.padStart(24, '0'));
  const names = ['Özge Öztürk', 'özge-Maria Lind', 'Bo'];
  for (const [place, id] of ids.entries())
    await durable()
      .insertInto('accounts')
      .values({ account_id: id, name: names[place] ?? '', updated_at: 0 })
      .execute();
  const [first, second, third] = ids.map((id) => `/support/accounts/${id}`);
  for (const text of ['özge öztürk', 'ÖZGE ÖZTÜRK', 'Özge ö'])
    expect([text, (await searchFor(text)).location]).toEqual([text, first]);
  expect((await searchFor('ÖZGE-MARIA')).location).toBe(second);
  expect((await searchFor('BO')).location).toBe(third);
  for (const text of ['Özg', 'zge']) {
    const both = await searchFor(text);
    for (const href of [first, second]) expect(both.body).toContain(`href="${href}"`);
  }
  for (const text of ['Öz', '%zge', 'ö%ge']) expect((await searchFor(text)).body).not.toContain(first);
});

test.each(databaseKinds)('on %s a name of any length is kept, and found by how it begins', async (kind) => {
  const stores = await openTwoStores(kind);
  const db = stores.one.durable;
  // Nothing in it repeats, so that no database makes it small.
  const tail = randomBytes(20_000).toString('base64');
  const [long, other] = [`Ann ${tail}`, `Ann ${tail.slice(0, 110)}!`];
  const named = [long, other, 'Ann', 'Annabel', 'Bo'].entries();
  for (const [place, name] of named)
    await upsertAccount(db, { account_id: `a${place}`, name, email: null, updated_at: 0 });
  const idsOf = async (name: string, isWhole = false) =>
    (await accountsNamed(db, { name, isWhole }, 10)).map(({ account_id: id }) => id).toSorted();
  expect(await idsOf('ANN')).toEqual(['a0', 'a1', 'a2', 'a3']);
  expect(await idsOf(long.slice(0, 100))).toEqual(['a0', 'a1']);
  expect(await idsOf(long.slice(0, 120))).toEqual(['a0']);
  expect(await idsOf(other.slice(0, 120))).toEqual(['a1']);
  expect([await idsOf('ann', true), await idsOf('BO', true), await idsOf('B', true)]).toEqual([
    ['a2'],
    ['a4'],
    [],
  ]);
  await stores.close();
});

test('names are gone through piece by piece, the first of them by name are answered', async () => {
  const rows = Array.from({ length: 2500 }, (_, count) => ({
    client_id: newHexId(),
    name: `${count % 2 === 0 ? 'Planner' : 'A planner'} ${String(count).padStart(4, '0')}`,
    source: 'imported' as const,
    created_at: 0,
  }));
  for (let from = 0; from < rows.length; from += 500)
    await durable()
      .insertInto('apps')
      .values(rows.slice(from, from + 500))
      .execute();
  let turns = 0;
  const turn = () => {
    turns += 1;
    waiting = setImmediate(turn);
  };
  let waiting = setImmediate(turn);
  const { apps: found } = await appsByName(system.bridge.context, 'PLANNER', 1300);
  clearImmediate(waiting);
  expect(turns).toBeGreaterThanOrEqual(2);
  const names = found.map(({ name }) => name);
  expect(names).toHaveLength(1300);
  expect([names[0], names[1249], names[1250]]).toEqual(['Planner 0000', 'Planner 2498', 'A planner 0001']);
});

test('where nothing was found among the names that were looked at, the page says that there are more', async () => {
  // All three-letter parts of the text stand in each name, and the text in none.
  const rows = Array.from({ length: 2001 }, (_, count) => ({
    account_id: newHexId(),
    name: `Ab x b cd ${count}`,
    updated_at: 0,
  }));
  for (let from = 0; from < rows.length; from += 500)
    await durable()
      .insertInto('accounts')
      .values(rows.slice(from, from + 500))
      .execute();
  const page = wordsOf(await searchFor('ab cd'));
  expect(page).toContain('Nothing was found');
  expect(page).toContain('Not every name was looked at: too many have these letters.');
});

/** A token that was made at a time. */
const tokenAt = (count: number) => ({
  id: newHexId(),
  token_digest: newHexId(),
  client_id: system.app.clientId,
  state: 'unmapped' as const,
  source: 'imported' as const,
  created_at: count,
  updated_at: count,
});

test('of more tokens than are shown the newest are shown, whatever part of the text they fit', async () => {
  const beginning = Array.from({ length: 101 }, (_, count) => ({
    ...tokenAt(count),
    hint_first: 'Qx7-',
    hint_last: 'aaaa',
  }));
  const ending = { ...tokenAt(1000), hint_first: 'bbbb', hint_last: 'Qx7-' };
  await durable()
    .insertInto('mappings')
    .values([...beginning, ending])
    .execute();
  const page = await searchFor('Qx7-');
  expect(wordsOf(page)).toContain('The newest 100 of more.');
  const shown = [...page.body.matchAll(/href="\/support\/mappings\/(\w+)"/g)].map(([, id]) => id);
  expect(shown).toHaveLength(100);
  expect(shown.slice(0, 2)).toEqual([ending.id, beginning[100]?.id]);
});

test('a token that the text names by its own id stands before newer ones that something else in it fits', async () => {
  const legacyId = newHexId();
  const newer = Array.from({ length: 101 }, (_, count) => ({
    ...tokenAt(2000 + count),
    legacy_account_id: legacyId,
  }));
  const named = tokenAt(1);
  await durable()
    .insertInto('mappings')
    .values([...newer, named])
    .execute();
  const page = await searchFor(`${legacyId} ${named.id}`);
  const shown = [...page.body.matchAll(/href="\/support\/mappings\/(\w+)"/g)].map(([, id]) => id);
  expect(shown).toHaveLength(100);
  expect(shown.slice(0, 2)).toEqual([named.id, newer[100]?.id]);
});

test('no name is looked for where the text holds an address or a secret', () => {
  expect(readQuery('dana@people.example')?.name).toBeUndefined();
  expect(readQuery(`1/${'0123456789abcdef'.repeat(2)}`)?.name).toBeUndefined();
  expect(readQuery('the-very-long-name-of-an-app-that-plans')?.name).toBe(
    'the-very-long-name-of-an-app-that-plans',
  );
});

testInProcess('more than twenty exports in a minute are refused until the minute is over', async () => {
  const statuses: number[] = [];
  for (let count = 0; count < 21; count += 1) {
    const form = count % 2 === 0 ? 'csv' : 'json';
    const page = await sam.get(`${system.bridgeUrl}/support/numbers.${form}?by=app&days=1`);
    statuses.push(page.status);
  }
  expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 429]);
});
