import { newHexId } from '../../src/shared/ids.ts';
import { wordsOf } from '../owners/support/people.ts';
import { linesOf, mail } from '../staff/support/desk-rows.ts';
import { keepExtension, keepGrant } from '../staff/support/grants.ts';
import { staffBrowser } from '../staff/support/staff-browser.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import type { CookieWalker, Page } from '../support/callers/cookie-walker.ts';

/** The desks as tables: tabs with counts, orders, a search in all rows, and both ways of paging. (databaseKinds) */

const DAY = 86_400_000;
const MANY = 1_120;
const clock = new SettableClock(Date.parse('2026-11-22T10:00:00Z'));
let system: System;
let staff: CookieWalker;

const rows = () => system.bridge.context.store.durable;

beforeAll(async () => {
  system = await startSystem({ clock });
  staff = await staffBrowser(system, 'reader');
  const mails = Array.from({ length: MANY }, (_, place) =>
    mail({
      id: newHexId(),
      person: `email:p${place}@list.example`,
      address: `p${place}@list.example`,
      ended_at: place,
    }),
  );
  for (let start = 0; start < MANY; start += 280)
    await rows()
      .insertInto('mails')
      .values(mails.slice(start, start + 280))
      .execute();
});
afterAll(() => system.stop());

async function open(address: string): Promise<Page> {
  const page = await staff.get(`${system.bridgeUrl}/support/desks/${address}`);
  expect(page.status).toBe(200);
  return page;
}

const placesIn = (page: Page) => linesOf(page).map((line) => Number(/p(\d+)@/.exec(line)?.[1]));

const linkIn = ({ body }: Page, rel: 'next' | 'prev') =>
  new RegExp(`rel="${rel}" href="/support/desks/([^"]+)"`).exec(body)?.[1]?.replaceAll('&amp;', '&');

async function walk(from: Page, rel: 'next' | 'prev'): Promise<Page[]> {
  const link = linkIn(from, rel);
  return link === undefined ? [from] : [from, ...(await walk(await open(link), rel))];
}

const all = Array.from({ length: MANY }, (_, place) => place);

test.each([
  ['undeliverable', all.toReversed()],
  ['undeliverable?sort=oldest', all],
])(
  '%s: every row stands in it once, forwards and backwards, and each page says where it is',
  async (address, wanted) => {
    const pages = await walk(await open(address), 'next');
    expect(pages.flatMap(placesIn)).toEqual(wanted);
    expect(pages).toHaveLength(23);
    expect(wordsOf(pages[2] as Page)).toContain('101 to 150 of 1,120');
    const back = await walk(pages.at(-1) as Page, 'prev');
    expect(back.toReversed().flatMap(placesIn)).toEqual(wanted);
  },
);

test('the search looks at every row, however far from the first page it stands', async () => {
  const page = await open('undeliverable?find=p3%40list');
  expect(placesIn(page)).toEqual([3]);
  expect(wordsOf(page)).toContain('1 to 1 of 1');
});

test('a text is not found in what stands before the name of a person, and the whole of it is', async () => {
  for (const text of ['mail', 'email:', 'acc', 'account'])
    expect([text, linesOf(await open(`undeliverable?find=${text}`))]).toEqual([text, []]);
  expect(placesIn(await open('undeliverable?find=email%3Ap7%40list.example'))).toEqual([7]);
});

test('grants in doubt have a tab for those whose answer has not come, with its count', async () => {
  const now = clock.now();
  const doubt = { state: 'in_doubt', doubt_since: now - DAY, presented_at: now - DAY } as const;
  await keepGrant(system, { ...doubt, access_expires_at: now + DAY });
  await keepGrant(system, { ...doubt, access_expires_at: now + 2 * DAY });
  await keepGrant(system, { state: 'presenting', presented_at: now - DAY, access_expires_at: now + 3 * DAY });
  expect(wordsOf(await open('in-doubt'))).toMatch(/All 3 .*In doubt 2 .*Sent, no answer yet 1 /);
  const sent = await open('in-doubt?show=sent');
  expect(linesOf(sent)).toEqual([expect.stringContaining('sent, no answer yet')]);
  const last = await open('in-doubt?sort=last');
  expect(linesOf(last)[0]).toContain('in 3 days');
  expect(linesOf(last)[2]).toContain('in 1 day');
});

test('extensions have tabs for those ahead and those that are over', async () => {
  await keepExtension(system, { until: clock.now() + 5 * DAY, reason: 'ends soon' });
  await keepExtension(system, { until: clock.now() - 2 * DAY, reason: 'just over' });
  expect(wordsOf(await open('extensions'))).toMatch(/All 2 .*Still ahead 1 .*Over 1 /);
  expect(linesOf(await open('extensions?show=over'))).toEqual([expect.stringContaining('just over')]);
  expect(linesOf(await open('extensions?find=ENDS'))).toEqual([expect.stringContaining('ends soon')]);
});

test('the reason of an extension is found in any case, also beyond English', async () => {
  const reason = 'Übergang bis März';
  await keepExtension(system, { until: clock.now() + 5 * DAY, reason });
  for (const text of ['übergang', 'ÜBERGANG', reason, 'MÄRZ', 'U\u0308bergang']) {
    const lines = linesOf(await open(`extensions?find=${encodeURIComponent(text)}`));
    expect([text, lines]).toEqual([text, [expect.stringContaining(reason)]]);
  }
});

test('a tab or an order that a desk does not have is refused', async () => {
  for (const asked of ['undeliverable?show=sent', 'extensions?sort=newest']) {
    const page = await staff.get(`${system.bridgeUrl}/support/desks/${asked}`);
    expect(page.status).toBe(400);
  }
});
