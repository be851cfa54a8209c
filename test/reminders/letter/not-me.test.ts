import { mailedAddress, notMePath } from '../../../src/domain/reminders/stop-mails.ts';
import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { pressIn, wordsOf } from '../../owners/support/people.ts';
import { BY_EMAIL, letterTo, linksIn, MAIL_ID, toHolder } from '../support/letters.ts';

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
      { ...mail, id: 'b'.repeat(24), replaces: MAIL_ID, address: null },
    ])
    .execute();
});
afterAll(() => system.stop());

async function stopped() {
  const { durable } = system.bridge.context.store;
  return durable.selectFrom('stopped_addresses').select(['address', 'mail_id']).execute();
}

const page = (id: string) => `${system.bridgeUrl}${notMePath(system.bridge.context, id)}`;
const at = (link: string) => `${system.bridgeUrl}/mails/${link}/not-me`;
const linkOf = (path: string) => path.split('/')[2] ?? '';
const codeOf = (id: string) => page(id).slice(-29, -7);

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

const LINKS: Array<[what: string, link: () => string]> = [
  ['of a mail that nobody was sent', () => page('c'.repeat(24))],
  ['of a mail that went nowhere', () => page('b'.repeat(24))],
  ['with the id alone, as logs have it', () => at(MAIL_ID)],
  ['with the code of another mail', () => at(`${MAIL_ID}-${codeOf('b'.repeat(24))}`)],
  ['with a code that is cut', () => at(`${MAIL_ID}-${codeOf(MAIL_ID).slice(0, -1)}`)],
  ['in capitals', () => at(`${MAIL_ID.toUpperCase()}-${codeOf(MAIL_ID)}`)],
  ['that is none', () => at('%00')],
];

test.each(LINKS)('a link %s is not known', async (_what, link) => {
  const browser = new CookieWalker();
  const { durable } = system.bridge.context.store;
  await durable.deleteFrom('stopped_addresses').execute();
  for (const got of [await browser.get(link()), await browser.post(link(), {})])
    expect([got.status, wordsOf(got)]).toEqual([404, expect.stringContaining('not known')]);
  expect(await stopped()).toEqual([]);
});

test('a link that was mailed before a key was changed still leads there', async () => {
  const { vault } = system.bridge.context;
  // As a vault under a newer key has it: the older one comes after.
  const newer = (value: string) => `newer.${vault.digest(`newer ${value}`).split('.')[1]}`;
  const rotated = {
    ...vault,
    digest: newer,
    digests: (value: string) => [newer(value), ...vault.digests(value)],
  };
  const context = { ...system.bridge.context, vault: rotated };
  expect(notMePath(context, MAIL_ID)).not.toBe(notMePath(system.bridge.context, MAIL_ID));
  for (const path of [notMePath(context, MAIL_ID), notMePath(system.bridge.context, MAIL_ID)])
    expect(await mailedAddress(context, linkOf(path))).toMatchObject({ masked: 'D…@Example.org' });
});
