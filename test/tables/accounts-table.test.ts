import { browserOf, DANA, pressIn, SAM, waitingToken, wordsOf } from '../owners/support/people.ts';
import { linesOf } from '../staff/support/desk-rows.ts';
import { staffBrowser } from '../staff/support/staff-browser.ts';
import { registerLegacyApp } from '../support/bridge/register-app.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import type { CookieWalker, Page } from '../support/callers/cookie-walker.ts';

/** The list of all accounts: by name, by when they stopped, by their apps, and by a search. (databaseKinds) */

const NAMED = 120;
const clock = new SettableClock(Date.parse('2026-11-22T10:00:00Z'));
let system: System;
let staff: CookieWalker;

const rows = () => system.bridge.context.store.durable;
const nameOf = (place: number) => `${place % 2 ? 'person' : 'Person'} ${String(place).padStart(3, '0')}`;
const idOf = (place: number) => (9_000_000 - place).toString(16).padStart(24, '0');

beforeAll(async () => {
  system = await startSystem({ clock });
  staff = await staffBrowser(system, 'reader');
  const people = Array.from({ length: NAMED }, (_, place) => ({
    account_id: idOf(place),
    name: nameOf(place),
    email: `p${place}@list.example`,
    updated_at: 0,
  }));
  // Several without a name, whose order is that of their ids; and two of one name.
  const nameless = [7, 8, 9].map((end) => ({
    account_id: `ffff${end}`,
    name: null,
    email: null,
    updated_at: 0,
  }));
  const twins = ['b1', 'b2'].map((account_id) => ({
    account_id,
    name: nameOf(60),
    email: null,
    updated_at: 0,
  }));
  await rows()
    .insertInto('accounts')
    .values([...people, ...nameless, ...twins])
    .execute();
});
afterAll(() => system.stop());

async function list(query = ''): Promise<Page> {
  const page = await staff.get(`${system.bridgeUrl}/support/accounts${query}`);
  expect(page.status).toBe(200);
  return page;
}

const idsIn = ({ body }: Page) =>
  [...body.matchAll(/<th scope="row"><a href="\/support\/accounts\/([^"]+)"/g)].map(([, id]) => id);

const linkIn = ({ body }: Page, rel: 'next' | 'prev') =>
  new RegExp(`rel="${rel}" href="[^"]*(\\?[^"]+)"`).exec(body)?.[1]?.replaceAll('&amp;', '&');

async function walk(from: Page, rel: 'next' | 'prev'): Promise<Page[]> {
  const link = linkIn(from, rel);
  return link === undefined ? [from] : [from, ...(await walk(await list(link), rel))];
}

const order = (one: string, other: string) => (one < other ? -1 : Number(one > other));

/** What the list should say, from the database itself. */
async function expected(): Promise<string[]> {
  const all = await rows().selectFrom('accounts').select(['account_id', 'name']).execute();
  const named = all.filter(({ name }) => name !== null);
  const unnamed = all.filter(({ name }) => name === null);
  const byName = named.toSorted(
    (a, b) =>
      order(String(a.name).toLowerCase(), String(b.name).toLowerCase()) || order(a.account_id, b.account_id),
  );
  return [...byName, ...unnamed.toSorted((a, b) => order(a.account_id, b.account_id))].map(
    ({ account_id: id }) => id,
  );
}

test('every account stands in it once, by name in any case, forwards and backwards', async () => {
  const all = await expected();
  expect(all.length).toBeGreaterThan(120);
  const there = await walk(await list(), 'next');
  expect(there.flatMap(idsIn)).toEqual(all);
  const back = await walk(there.at(-1) ?? (await list()), 'prev');
  expect(back.toReversed().flatMap(idsIn)).toEqual(all);
  expect(wordsOf(await list())).toContain(`50 of ${all.length}`);
});

test('a position that is gone, or that no list has, is said so', async () => {
  expect(wordsOf(await list('?after=0_nobody'))).toContain('Nothing more stands here.');
  const wrong = await staff.get(`${system.bridgeUrl}/support/accounts?sort=last`);
  expect(wrong.status).toBe(400);
});

test('a row says how many tokens of the account are connected, wait, have stopped, have moved and are revoked', async () => {
  const accountId = idOf(3);
  for (const state of [
    'active',
    'active',
    'unmapped',
    'reauthorization_required',
    'migrated',
    'revoked',
  ] as const)
    await waitingToken(system, { accountId, state });
  const page = await list('?find=p3%40list');
  expect(linesOf(page)).toEqual([
    expect.stringMatching(/person 003 p3@list\.example 2 1 1 1 1 not known/) as string,
  ]);
  expect(linesOf(await list('?find=p4%40list'))).toEqual(['Person 004 p4@list.example no token not known']);
});

test('those with stopped tokens stand by when the first one stopped, from either end', async () => {
  clock.advance(60_000);
  for (const place of [5, 6]) {
    await waitingToken(system, { accountId: idOf(place), state: 'reauthorization_required' });
    clock.advance(60_000);
  }
  await waitingToken(system, { accountId: idOf(5), state: 'reauthorization_required' });
  expect(idsIn(await list('?show=stopped'))).toEqual([idOf(3), idOf(5), idOf(6)]);
  const last = await list('?show=stopped&sort=last');
  expect(idsIn(last)).toEqual([idOf(6), idOf(5), idOf(3)]);
  expect(wordsOf(last)).toContain('With stopped tokens 3');
  expect(last.body).toContain('datetime="2026-11-22T10:01:00.000Z"');
});

test('those who own apps stand by how many they own', async () => {
  await browserOf(system, SAM);
  for (const id of [SAM.accountId, idOf(4), idOf(4)])
    await registerLegacyApp(system.bridge, 'https://own.example/cb', id);
  const ids = idsIn(await list('?show=owners'));
  expect(ids.indexOf(idOf(4))).toBeLessThan(ids.indexOf(SAM.accountId));
  expect(ids).not.toContain(idOf(6));
});

test('the search finds a part of a name or address in all accounts, whichever tab it begins on', async () => {
  const page = await list('?show=stopped');
  const found = await staff.follow(await pressIn(staff, page, /Find/, { find: 'ERSON 01' }));
  expect(idsIn(found)).toEqual(Array.from({ length: 10 }, (_, place) => idOf(10 + place)));
  expect(wordsOf(found)).toContain('1 to 10 of 10');
  expect(wordsOf(await list('?find=zzzz'))).toContain('Nothing here fits “zzzz”.');
});

test('a whole token in the search is refused before it stands in an address', async () => {
  const { token } = await waitingToken(system, { accountId: DANA.accountId });
  const page = await list();
  const answer = await pressIn(staff, page, /Find/, { find: token });
  expect(answer.status).toBe(400);
  expect(answer.body).not.toContain(token);
});

test('the list stands in the navigation of support', async () => {
  expect((await list()).body).toContain('<a href="/support/accounts" aria-current="page">Accounts</a>');
});
