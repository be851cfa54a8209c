import { newHexId } from '../../src/shared/ids.ts';
import { upsertAccount } from '../../src/store/accounts/accounts.ts';
import { pressIn, waitingToken, wordsOf } from '../owners/support/people.ts';
import { becomes } from '../staff/support/actions.ts';
import { linesOf, mail } from '../staff/support/desk-rows.ts';
import { deadGrant } from '../staff/support/grants.ts';
import { staffBrowser } from '../staff/support/staff-browser.ts';
import { endSunset, keepSunset } from '../staff/support/sunsets.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import type { CookieWalker, Page } from '../support/callers/cookie-walker.ts';

/** The lists of support: an account with its sentence, desks with a search, what ended by app. (databaseKinds) */

let system: System;
let sam: CookieWalker;

beforeAll(async () => {
  system = await startSystem();
  sam = await staffBrowser(system, 'agent');
});
afterAll(() => system.stop());

const open = (path: string) => sam.get(`${system.bridgeUrl}/support${path}`);
const db = () => system.bridge.context.store.durable;

async function accountNamed(name: string): Promise<string> {
  const account_id = newHexId();
  await upsertAccount(db(), { account_id, name, email: null, timezone: null, updated_at: 0 });
  return account_id;
}

test('an account begins with how its apps stand, and has the link for each that waits', async () => {
  const accountId = await accountNamed('Ada Waits');
  const other = await system.registerApp('https://second.example/cb');
  const stop = await waitingToken(system, { accountId, state: 'reauthorization_required' });
  const fresh = await waitingToken(system, { accountId, app: other });
  await waitingToken(system, { accountId, app: other, state: 'active' });
  const page = await open(`/accounts/${accountId}`);
  const words = wordsOf(page);
  expect(words).toMatch(
    /1 app has stopped, .* UTC ?; 1 app waits to be connected; 1 app is connected\. One link/,
  );
  expect(words.indexOf('1 app has stopped')).toBeLessThan(words.indexOf('Account id'));
  for (const { id } of [stop, fresh]) expect(page.body).toContain(`href="/support/mappings/${id}/link"`);
  expect(words).toMatch(/Token App State Stopped at Last used/);
  await becomes(system, 'reader');
  expect((await open(`/accounts/${accountId}`)).body).not.toContain('/link"');
  await becomes(system, 'agent');
});

test('an account without a token, and one whose apps all work, say so', async () => {
  const accountId = await accountNamed('Bo Without');
  expect(wordsOf(await open(`/accounts/${accountId}`))).toContain('No token is known to be of this account.');
  await waitingToken(system, { accountId, state: 'active' });
  expect(wordsOf(await open(`/accounts/${accountId}`))).toContain('1 app is connected. Nothing to do.');
});

test('after the sunset an account reads that its apps are refused, also those that are connected', async () => {
  const accountId = await accountNamed('Di Late');
  const [spared, other] = [
    await system.registerApp('https://spared.example/cb'),
    await system.registerApp('https://other.example/cb'),
  ];
  await waitingToken(system, { accountId, state: 'active' });
  await keepSunset(system, { at: Date.now() - 86_400_000, exceptFor: spared.clientId });
  const words = async () => wordsOf(await open(`/accounts/${accountId}`));
  expect(await words()).toContain(
    '1 app is refused, because the old API has ended for it. Connecting it again would not help: it has to use the new API.',
  );
  await waitingToken(system, { accountId, app: spared, state: 'active' });
  await waitingToken(system, { accountId, app: other });
  expect(await words()).toContain(
    '1 app is connected; 2 apps are refused, because the old API has ended for them. Connecting them again',
  );
  await waitingToken(system, { accountId, app: spared });
  expect(await words()).toContain('2 apps are refused, because the old API has ended for them. One link');
  await endSunset(system);
});

test('the tokens of an account come in pages, what needs somebody first, and a wrong address is refused', async () => {
  const accountId = await accountNamed('Cy Many');
  for (let count = 0; count < 55; count += 1) await waitingToken(system, { accountId, state: 'active' });
  const { id } = await waitingToken(system, { accountId, state: 'reauthorization_required' });
  const page = await open(`/accounts/${accountId}`);
  expect(wordsOf(page)).toMatch(/All 56 Stopped 1 Connected 55 .*1 to 50 of 56/);
  expect(
    /\/support\/mappings\/([0-9a-f]{24})"/.exec(page.body.slice(page.body.indexOf('<tbody>')))?.[1],
  ).toBe(id);
  const next = /href="([^"#]+)#tokens">Next page/.exec(page.body)?.[1]?.replaceAll('&amp;', '&') ?? '';
  expect(wordsOf(await sam.get(`${system.bridgeUrl}${next}`))).toContain('51 to 56 of 56');
  expect((await open(`/accounts/${accountId}?sort=x`)).status).toBe(400);
});

const rowsOf = (page: Page) => linesOf(page).length;

test('a desk is searched by what its rows say', async () => {
  const mails = Array.from({ length: 60 }, (_, at) =>
    mail({ person: `email:lost-${at}@gone.example`, address: `lost-${at}@gone.example`, ended_at: at }),
  );
  await db().insertInto('mails').values(mails).execute();
  const page = await open('/desks/undeliverable');
  expect(wordsOf(page)).toContain('1 to 50 of 60');
  const left = await pressIn(sam, page, /^Find$/, { find: 'LOST-4' });
  const found = await sam.get(`${system.bridgeUrl}${left.location}`);
  expect(rowsOf(found)).toBe(11);
  expect(wordsOf(found)).toContain('1 to 11 of 11');
  expect(wordsOf(await open('/desks/undeliverable?find=nobody-here'))).toContain('Nothing here fits');
  const next = /href="([^"]+)">Next page/.exec(page.body)?.[1] ?? '';
  const second = await sam.get(`${system.bridgeUrl}${next}`);
  expect(rowsOf(second)).toBe(10);
  const back = /href="([^"]+)">Previous page/.exec(second.body)?.[1] ?? '';
  expect(linesOf(await sam.get(`${system.bridgeUrl}${back}`))).toEqual(linesOf(page));
  for (const query of ['?sort=x', '?show=x', '?after=x', '?back=1_a&after=1_a'])
    expect([query, (await open(`/desks/undeliverable${query}`)).status]).toEqual([query, 400]);
});

test('what ended on a day is told by app, and an app leads to its own', async () => {
  const at = Date.now() - 1000;
  const [one] = [await deadGrant(system, 'refused', at), await deadGrant(system, 'lost', at - 1)];
  const page = await open('/desks/died-today?zone=UTC');
  const link =
    new RegExp(`href="([^"]*app=${one.clientId})"`).exec(page.body)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const own = await sam.get(`${system.bridgeUrl}${link}`);
  expect(own.body).toContain(`/support/mappings/${one.mappingId}`);
  expect(rowsOf(own)).toBe(1);
  expect(wordsOf(own)).toMatch(/What stopped of .* 1 to 1 of 1/);
  const byCause = await sam.get(`${system.bridgeUrl}${link}&cause=lost`);
  expect(wordsOf(byCause)).toMatch(/No connection of .+ ended by this cause on this day/);
});

test('every page of support but the search itself has the search at its head', async () => {
  for (const path of ['/desks', '/numbers', `/apps/${system.app.clientId}`])
    expect((await open(path)).body).toContain('aria-keyshortcuts="/"');
  expect((await open('')).body.match(/name="q"/g)).toHaveLength(1);
  const dana = await sam.get(`${system.bridgeUrl}/apps`);
  expect(dana.body).not.toContain('name="q"');
});
