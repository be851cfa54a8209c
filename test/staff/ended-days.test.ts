import { newHexId } from '../../src/shared/ids.ts';
import { DAY, MINUTE } from '../../src/shared/lifetimes.ts';
import type { DeathCause, NewGrant } from '../../src/store/tables/tables.ts';
import { SAM, wordsOf } from '../owners/support/people.ts';
import type { CookieWalker, Page } from '../support/callers/cookie-walker.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { linesOf } from './support/desk-rows.ts';
import { deadGrant } from './support/grants.ts';
import { staffBrowser } from './support/staff-browser.ts';

/** Which connections ended on each of the last thirty days, in a time zone that the page names. */

const NOON = Date.parse('2026-11-22T12:00:00Z');
const clock = new SettableClock(NOON);
let system: System;
let staff: CookieWalker;

beforeAll(async () => {
  system = await startSystem({ clock });
  staff = await staffBrowser(system, 'reader');
});
afterAll(() => system.stop());

const rows = () => system.bridge.context.store.durable;

beforeEach(async () => {
  await inZone('UTC');
  await rows().updateTable('mappings').set({ grant_id: null }).execute();
  await rows().deleteFrom('grants').execute();
});

/** The zone that the account of the member of the staff says. */
async function inZone(timezone: string): Promise<void> {
  await rows().updateTable('accounts').set({ timezone }).where('account_id', '=', SAM.accountId).execute();
}

const get = (query = '') => staff.get(`${system.bridgeUrl}/support/desks/died-today${query}`);
const idsIn = ({ body }: Page) => [...body.matchAll(/\/support\/mappings\/(\w+)"/g)].map(([, id]) => id);
const hrefOf = ({ body }: Page, label: string) =>
  new RegExp(`href="/support/desks/died-today([^"]*)"[^>]*>${label}<`)
    .exec(body)?.[1]
    ?.replaceAll('&amp;', '&') ?? '';

/** Grants that ended one after the other, a millisecond apart, of accounts that have no token left. */
async function keepEnded(count: number, cause: DeathCause, from: number): Promise<void> {
  const ended = Array.from(
    { length: count },
    (_, place): NewGrant => ({
      id: newHexId(),
      client_id: system.app.clientId,
      account_id: SAM.accountId,
      modern_client_id: 'bridge',
      state: 'dead',
      dead_cause: cause,
      dead_at: from + place,
      version: 1,
      scope: 's',
      access_expires_at: 0,
      refresh_at: 0,
      created_at: 0,
      updated_at: 0,
      rotated_at: 0,
    }),
  );
  for (let start = 0; start < count; start += 300)
    await rows()
      .insertInto('grants')
      .values(ended.slice(start, start + 300))
      .execute();
}

test('each of the thirty days can be asked for, and shows what ended on it alone', async () => {
  const ends = [];
  for (const ago of [0, 1, 29]) ends.push(await deadGrant(system, 'refused', NOON - ago * DAY));
  const page = await get();
  expect(wordsOf(page)).toContain('Connections that ended today');
  expect(wordsOf(page)).toContain('The day is that of the time zone UTC');
  expect(idsIn(page)[0]).toBe(ends[0]?.mappingId);
  for (const [label, one] of [
    ['Yesterday', ends[1]],
    ['24 Oct 2026', ends[2]],
  ] as const) {
    const other = await get(hrefOf(page, label));
    expect([...new Set(idsIn(other))]).toEqual([one?.mappingId]);
    expect(wordsOf(other)).toContain('Refused by the new API 1');
    expect(other.body).toContain(`/support/mappings/${one?.mappingId}"`);
  }
  const days = [...page.body.matchAll(/<li><a href="[^"]*day=(\d{4}-\d\d-\d\d)&amp;zone=UTC"/g)].map(
    ([, day]) => day,
  );
  expect(days).toHaveLength(30);
  expect([days[0], days[29]]).toEqual(['2026-11-22', '2026-10-24']);
  const empty = await get('?day=2026-11-01');
  expect(wordsOf(empty)).toContain('Good news: no token that stopped on 1 Nov 2026 (UTC) waits for anybody');
});

test('the counts of an app are its own, and who has nothing is not told that all is well', async () => {
  const [refused, lost] = [await deadGrant(system, 'refused', NOON), await deadGrant(system, 'lost', NOON)];
  await deadGrant(system, 'replaced', NOON);
  const all = await get();
  expect(wordsOf(all)).toMatch(
    /What stopped, by app With those that are connected again since\. (\S+ )+1 (\S+ )+1 What stopped 1 to 2 of 2/,
  );
  const one = await get(`?app=${refused.clientId}`);
  expect(wordsOf(one)).toMatch(/Refused by the new API 1 Lost answer 0 /);
  const none = await get(`?app=${refused.clientId}&cause=lost`);
  expect(wordsOf(none)).toMatch(/No connection of \S+ ended by this cause on this day\./);
  await rows().updateTable('mappings').set({ state: 'active' }).where('id', '=', lost.mappingId).execute();
  const mended = await get(`?app=${lost.clientId}`);
  expect(wordsOf(mended)).toMatch(/No token of .+ that stopped on this day waits for anybody\./);
  expect(wordsOf(mended)).not.toContain('Good news');
});

test('a day is that of the account’s time zone, and the same link shows the same day to everybody', async () => {
  const midnight = Date.parse('2026-11-21T00:00:00Z');
  const before = await deadGrant(system, 'refused', midnight - 61 * MINUTE);
  const late = await deadGrant(system, 'refused', midnight - 30 * MINUTE);
  await inZone('Europe/Berlin');
  const berlin = await get('?day=2026-11-21');
  expect(wordsOf(berlin)).toContain('The day is that of the time zone Europe/Berlin');
  expect([...new Set(idsIn(berlin))]).toEqual([late.mappingId]);
  const utc = await get('?day=2026-11-20&zone=UTC');
  expect([...new Set(idsIn(utc))]).toEqual([late.mappingId, before.mappingId]);
  const desks = await staff.get(`${system.bridgeUrl}/support/desks`);
  expect(wordsOf(desks)).toContain('since midnight (Europe/Berlin)');
  await inZone('Africa/Lagos');
  expect(idsIn(await get(`?day=2026-11-21&zone=Europe%2FBerlin`))).toEqual(idsIn(berlin));
  await inZone('Nowhere/Atall');
  expect(wordsOf(await get())).toContain('The day is that of the time zone UTC');
});

test('a day of twenty-five hours is whole', async () => {
  clock.set(Date.parse('2026-11-01T12:00:00Z'));
  const [first, last] = [Date.parse('2026-10-24T22:00:00Z'), Date.parse('2026-10-25T22:59:59Z')];
  const ends = [await deadGrant(system, 'lost', first), await deadGrant(system, 'lost', last)];
  for (const outside of [first - 1, last + 1000]) await deadGrant(system, 'lost', outside);
  const page = await get('?day=2026-10-25&zone=Europe%2FBerlin');
  expect([...new Set(idsIn(page))]).toEqual(ends.map(({ mappingId }) => mappingId).toReversed());
  clock.set(NOON);
});

test.each([
  ['?day=2026-10-23', 404, 'not listed any more'],
  ['?day=2026-11-23', 404, 'has not come yet'],
  ['?day=2026-02-30', 400, 'not a day'],
  ['?day=yesterday', 400, 'not a day'],
  ['?day=', 400, 'not a day'],
  ['?day=2026-11-21&day=2026-11-20', 400, 'not a day'],
  ['?day=2026-11-21&zone=Nowhere/Atall', 400, 'not a time zone'],
])('%s is answered with %i and the way to the days that are listed', async (query, status, title) => {
  const page = await get(query);
  expect(page.status).toBe(status);
  expect(wordsOf(page)).toContain(title);
  expect(page.body).toContain('href="/support/desks/died-today"');
});

test('each bar of the chart, and each row of its numbers, leads to its day in UTC', async () => {
  await inZone('Pacific/Auckland');
  const at = Date.parse('2026-11-20T23:30:00Z');
  const { mappingId } = await deadGrant(system, 'refused', at);
  const numbers = await staff.get(`${system.bridgeUrl}/support/numbers`);
  const links = [...numbers.body.matchAll(/href="(\/support\/desks\/died-today\?[^"]*)"/g)].map(
    ([, href = '']) => href,
  );
  expect(links.map((href) => href.replaceAll('&amp;', '&'))).toEqual(
    Array.from({ length: 4 }, () => '/support/desks/died-today?day=2026-11-20&zone=UTC'),
  );
  expect(numbers.body).toMatch(/<svg[^>]*role="group"[^>]*aria-labelledby="ends-wide-t/);
  expect(idsIn(await get('?day=2026-11-20&zone=UTC'))[0]).toBe(mappingId);
});

test('what ended of one cause hides nothing of another, and every connection can be reached', async () => {
  const yesterday = NOON - DAY;
  const broken = await deadGrant(system, 'refused', yesterday - MINUTE);
  await keepEnded(1205, 'replaced', yesterday);
  const page = await get('?day=2026-11-21');
  expect(linesOf(page)).toHaveLength(1);
  expect(idsIn(page)[0]).toBe(broken.mappingId);
  expect(wordsOf(page)).toMatch(/Replaced by a newer connection 1,205 .*1 to 1 of 1, the newest first/);
  let [shown, next] = [0, '?day=2026-11-21&cause=replaced'];
  for (let pages = 0; next !== '' && pages < 100; pages += 1) {
    const one = await get(next);
    if (pages === 0) expect(wordsOf(one)).toContain('1 to 50 of 1,205, the newest first');
    shown += linesOf(one).length;
    next = hrefOf(one, 'Next page');
  }
  expect([shown, next]).toEqual([1205, '']);
});

test('a day on which very many connected again says at least, and leads on to who still waits', async () => {
  const yesterday = NOON - DAY;
  const broken = await deadGrant(system, 'refused', yesterday - MINUTE);
  await keepEnded(1100, 'refused', yesterday);
  const page = await get('?day=2026-11-21');
  expect(wordsOf(page)).not.toContain('Good news');
  expect(wordsOf(page)).toContain('More ended earlier on this day');
  const further = await get(hrefOf(page, 'Look further'));
  expect(idsIn(further)[0]).toBe(broken.mappingId);
  expect(wordsOf(further)).toContain('The next 1 of at least 1');
});

test('a link to another time zone leads to the same day, or to the nearest one that is listed there', async () => {
  await inZone('Pacific/Auckland');
  expect(hrefOf(await get('?day=2026-11-15'), 'Show the days of UTC')).toBe('?day=2026-11-15&zone=UTC');
  // It is 23 November in Auckland.
  expect(hrefOf(await get('?day=2026-11-23'), 'Show the days of UTC')).toBe('?day=2026-11-22&zone=UTC');
  const oldest = await get('?day=2026-10-24&zone=UTC');
  const there = hrefOf(oldest, 'Show the days of Pacific/Auckland');
  expect(there).toBe('?day=2026-10-25&zone=Pacific%2FAuckland');
  expect((await get(there)).status).toBe(200);
});

test('every listed day can be opened on a day that begins at one o’clock', async () => {
  // On 6 September 2026 there is no midnight in Chile.
  clock.set(Date.parse('2026-09-06T15:00:00Z'));
  const page = await get('?zone=America%2FSantiago');
  const oldest = hrefOf(page, '8 Aug 2026');
  expect(oldest).toBe('?day=2026-08-08&zone=America%2FSantiago');
  expect((await get(oldest)).status).toBe(200);
  clock.set(NOON);
});
