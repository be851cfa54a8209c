import { newHexId } from '../../src/shared/ids.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { insertionOf } from '../../src/store/driver/many-rows.ts';
import { upsertAccount } from '../../src/store/accounts/accounts.ts';
import { browserOf, DANA, pressIn, SAM, wordsOf } from '../owners/support/people.ts';
import { staffBrowser } from '../staff/support/staff-browser.ts';
import { linesOf } from '../staff/support/desk-rows.ts';
import { type RegisteredApp, registerLegacyApp } from '../support/bridge/register-app.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import type { CookieWalker, Page } from '../support/callers/cookie-walker.ts';

/** The tokens of an app as a table, to its owner and to support: tabs, search, order, pages. (databaseKinds) */

let system: System;
let dana: CookieWalker;
let sam: CookieWalker;
let app: RegisteredApp;

const STOPPED = 120;
const WAITING = 70;
const now = Date.parse('2026-11-20T00:00:00Z');
const okafor = { account_id: newHexId(), name: 'Ngozi Okafor', email: 'ngozi@secret-mail.example' };

const tokenRow = (
  index: number,
  of: { state: 'unmapped' | 'reauthorization_required'; account_id: string | null },
) => ({
  id: newHexId(),
  token_digest: `table ${newHexId()}`,
  hint_first: `f${String(index).padStart(3, '0')}`,
  hint_last: `l${String(index).padStart(3, '0')}`,
  client_id: app.clientId,
  account_id: of.account_id,
  account_email: of.account_id === null ? `p${index}@waiting-mail.example` : null,
  state: of.state,
  reason: of.state === 'unmapped' ? null : 'grant_refused',
  source: 'imported' as const,
  created_at: 0,
  updated_at: now - index * 60_000,
  // Several tokens of a day, and some that were never used.
  last_used_at: index % 5 === 0 ? null : now - (index % 7) * DAY,
});

beforeAll(async () => {
  system = await startSystem();
  [dana, sam] = [await browserOf(system), await staffBrowser(system, 'lead')];
  app = await registerLegacyApp(system.bridge, 'https://tables.example/cb', DANA.accountId);
  const { durable } = system.bridge.context.store;
  await upsertAccount(durable, { ...okafor, timezone: null, updated_at: 0 });
  const rows = [
    ...Array.from({ length: STOPPED }, (_, index) =>
      tokenRow(index, {
        state: 'reauthorization_required',
        account_id: index < 3 ? okafor.account_id : SAM.accountId,
      }),
    ),
    ...Array.from({ length: WAITING }, (_, index) =>
      tokenRow(STOPPED + index, { state: 'unmapped', account_id: null }),
    ),
  ];
  await insertionOf(durable, 'mappings', rows).execute(durable);
});
afterAll(() => system.stop());

const path = () => `/apps/${app.clientId}/tokens`;
const open = (query = '') => dana.get(`${system.bridgeUrl}${path()}${query}`);
const linkOf = ({ body }: Page, label: string) =>
  new RegExp(`href="([^"]*)"[^>]*>${label}<`).exec(body)?.[1]?.replaceAll('&amp;', '&');
const hintsOf = (page: Page) =>
  [...page.body.matchAll(/<th scope="row"><code>1\/(\w{4})…\w{4}/g)].map(([, first]) => first);

test('the head tells how many there are in all and in each state', async () => {
  const words = wordsOf(await open());
  expect(words).toMatch(
    new RegExp(`All ${STOPPED + WAITING + 1} Stopped ${STOPPED} Waiting ${WAITING + 1} `),
  );
  expect(words).toContain(`1 to 50 of ${STOPPED + WAITING + 1}`);
  expect(words).not.toMatch(/Revoked \d|Moved \d/);
  expect(wordsOf(await open('?show=stopped'))).toContain(`1 to 50 of ${STOPPED}`);
});

test('a reason stands once, however many tokens have it', async () => {
  const { body } = await open('?show=stopped');
  expect(body.match(/Its holder has to connect again/g)).toHaveLength(1);
  expect(hintsOf({ body } as Page)).toHaveLength(50);
});

test.each(['', '?sort=unused', '?show=stopped&sort=stopped', '?show=waiting'])(
  'the pages of %j lead through each token once, and back to the first page',
  async (query) => {
    let page = await open(query);
    const onward = [hintsOf(page)];
    for (let next = linkOf(page, 'Next page'); next !== undefined; next = linkOf(page, 'Next page')) {
      page = await dana.get(`${system.bridgeUrl}${next}`);
      onward.push(hintsOf(page));
    }
    const all = onward.flat();
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBeGreaterThanOrEqual(query.includes('stopped') ? STOPPED : WAITING);
    const backward = [hintsOf(page)];
    for (let back = linkOf(page, 'Previous page'); back !== undefined; back = linkOf(page, 'Previous page')) {
      page = await dana.get(`${system.bridgeUrl}${back}`);
      backward.unshift(hintsOf(page));
    }
    expect(backward.flat()).toEqual(all);
  },
);

/** When each token of a page was last used, 0 for one that never was. */
const usesOf = ({ body }: Page) =>
  [...body.matchAll(/data-label="Last used">([\s\S]*?)<\/td>/g)].map(([, cell = '']) =>
    Date.parse(/datetime="([^"]+)"/.exec(cell)?.[1] ?? '1970-01-01T00:00:00Z'),
  );

test('the order is that of the last use, or of the stop', async () => {
  const used = usesOf(await open('?show=stopped'));
  expect(used).toHaveLength(50);
  expect(used).toEqual(used.toSorted((one, other) => other - one));
  const unused = usesOf(await open('?sort=unused'));
  expect(unused[0]).toBe(0);
  expect(unused).toEqual(unused.toSorted((one, other) => one - other));
  expect(hintsOf(await open('?show=stopped&sort=stopped')).slice(0, 3)).toEqual(['f000', 'f001', 'f002']);
});

async function find(text: string): Promise<Page> {
  const left = await pressIn(dana, await open(), /^Find$/, { find: text });
  return dana.get(`${system.bridgeUrl}${left.location}`);
}

test('an owner finds by four characters and by a part of a name, and never by an address', async () => {
  expect(hintsOf(await find('f017'))).toEqual(['f017']);
  expect(hintsOf(await find('l018'))).toEqual(['f018']);
  expect(hintsOf(await find('1/f019…l019'))).toEqual(['f019']);
  expect(hintsOf(await find('1/f019…l020'))).toEqual([]);
  expect(new Set(hintsOf(await find('OKAF')))).toEqual(new Set(['f000', 'f001', 'f002']));
  expect(wordsOf(await find('okaf'))).toContain('1 to 3 of 3');
  for (const text of ['secret-mail', 'ngozi@secret-mail.example', 'p150@waiting', 'waiting-mail'])
    expect([text, wordsOf(await find(text))]).toEqual([text, expect.stringContaining('Nothing here fits')]);
});

test('support finds them by a part of an address too, known or not proven', async () => {
  const at = `/support/apps/${app.clientId}`;
  for (const [text, count] of [
    ['secret-mail', 3],
    ['p150@waiting', 1],
    ['waiting-mail', 50],
  ] as const) {
    const left = await pressIn(sam, await sam.get(`${system.bridgeUrl}${at}`), /^Find$/, { find: text });
    const page = await sam.get(`${system.bridgeUrl}${left.location}`);
    expect([text, linesOf(page).filter((line) => /1\/\w{4}…/.test(line)).length]).toEqual([text, count]);
  }
});

const WRONG = [
  '?show=nothing',
  '?sort=name',
  '?sort=stopped',
  '?show=waiting&sort=stopped',
  '?after=zzz',
  '?after=1.5_a',
  '?after=1_a&back=1_a',
  '?show=all&show=stopped',
  '?find=a&find=b',
  `?find=${'x'.repeat(81)}`,
];

test.each(WRONG)('%s is refused with 400, in words, with the way to the list', async (query) => {
  const page = await open(query);
  expect(page.status).toBe(400);
  expect(wordsOf(page)).toContain('The list cannot be shown so');
  expect(page.body).toContain(`href="${path()}"`);
});

test('a token in the search box is refused before it stands in an address, and is not shown', async () => {
  const secret = `1/${'0a9b'.repeat(8)}`;
  const sent = await pressIn(dana, await open(), /^Find$/, { find: secret });
  expect(sent.status).toBe(400);
  expect(sent.location).toBeUndefined();
  expect(sent.body).not.toContain(secret.slice(2));
  expect((await open(`?find=${encodeURIComponent(secret)}`)).status).toBe(400);
});

test('a page beyond the end says so and leads to the first', async () => {
  const page = await open('?show=waiting&after=0_0');
  expect(page.status).toBe(200);
  expect(wordsOf(page)).toContain('Nothing more stands here. Start from the first page');
});
