import { CookieWalker } from '../support/cookie-walker.ts';
import { SettableClock } from '../support/settable-clock.ts';
import { startSystem, type System } from '../support/system.ts';
import { pressIn, wordsOf } from '../owners/support/people.ts';
import { BY_EMAIL, letterTo, linksIn, MAIL_ID, toHolder } from './letters.ts';

/** “Not you?”: whoever gets mails that are meant for somebody else stops them by one button. */

let system: System;
const clock = new SettableClock();

beforeAll(async () => {
  clock.run();
  system = await startSystem({ clock });
  const { durable } = system.bridge.context.store;
  const mail = {
    person: 'email:x',
    day: '2027-01-18',
    state: 'sent',
    attempts: 1,
    next_at: 0,
    created_at: 1,
  } as const;
  await durable
    .insertInto('mails')
    .values([
      { ...mail, id: MAIL_ID, replaces: '', address: 'Dora@Example.org' },
      { ...mail, id: 'b'.repeat(32), replaces: MAIL_ID, address: null },
    ])
    .execute();
});
afterAll(() => system.stop());

async function stopped() {
  const { durable } = system.bridge.context.store;
  return durable.selectFrom('stopped_addresses').select(['address', 'mail_id']).execute();
}

const page = (id: string) => `${system.bridgeUrl}/mails/${id}/not-me`;

test('the link of a mail shows what happens and changes nothing, whoever opens it', async () => {
  const letter = await letterTo(system, BY_EMAIL, [toHolder(system.app)]);
  expect(linksIn(letter)).toContain(page(MAIL_ID));
  await fetch(page(MAIL_ID), { method: 'HEAD' });
  const opened = await new CookieWalker().get(page(MAIL_ID), { host: 'evil.example' });
  expect([opened.status, wordsOf(opened)]).toEqual([200, expect.stringContaining('D…@Example.org')]);
  expect(opened.body).not.toMatch(/Dora|evil\.example/);
  expect(opened.headers.get('set-cookie')).toBeNull();
  expect(await stopped()).toEqual([]);
});

test('a form of another site is refused', async () => {
  const headers = [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }];
  for (const sent of headers)
    expect((await new CookieWalker().post(page(MAIL_ID), {}, sent)).status).toBe(403);
  expect(await stopped()).toEqual([]);
});

test('the button stops mails to that address, and pressing it twice is the same', async () => {
  const browser = new CookieWalker();
  const opened = await browser.get(page(MAIL_ID));
  const done = await browser.follow(await pressIn(browser, opened, /no more reminders/));
  expect(wordsOf(done)).toContain('No more reminders go to D…@Example.org');
  expect(wordsOf(done)).toContain('Ask support');
  expect((await pressIn(browser, opened, /no more reminders/)).status).toBe(303);
  expect(await stopped()).toEqual([{ address: 'dora@example.org', mail_id: MAIL_ID }]);
  expect(browser.forms(await browser.get(page(MAIL_ID)))).toEqual([]);
});

test.each([
  ['that nobody was sent', 'c'.repeat(32)],
  ['that went nowhere', 'b'.repeat(32)],
  ['in capitals', MAIL_ID.toUpperCase()],
  ['that is none', '%00'],
])('a mail %s has no such page', async (_what, id) => {
  const browser = new CookieWalker();
  for (const got of [await browser.get(page(id)), await browser.post(page(id), {})])
    expect([got.status, wordsOf(got)]).toEqual([404, expect.stringContaining('not known')]);
});
