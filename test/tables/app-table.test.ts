import { newHexId } from '../../src/shared/ids.ts';
import { keepProgress } from '../../src/domain/progress/keep-progress.ts';
import { browserOf, DANA, pressIn, SAM, waitingToken, wordsOf } from '../owners/support/people.ts';
import { linesOf } from '../staff/support/desk-rows.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import type { CookieWalker } from '../support/callers/cookie-walker.ts';

/** The first page of an owner: twelve apps have a card each, more stand in a table. (databaseKinds) */

let system: System;
let sam: CookieWalker;
const apps: string[] = [];

const home = (query = '') => sam.get(`${system.bridgeUrl}/apps${query}`);

/** Imported apps have no token of their owner. */
async function addApps(from: number, to: number): Promise<void> {
  for (let count = from; count <= to; count += 1) {
    const name = `Planner ${String(count).padStart(2, '0')}`;
    const clientId = newHexId();
    const of = { owner_account_id: SAM.accountId, source: 'imported' as const, created_at: 0 };
    await system.bridge.context.store.durable
      .insertInto('apps')
      .values({ client_id: clientId, name, ...of })
      .execute();
    apps.push(clientId);
  }
}

async function addWaiting(place: number, email: string): Promise<void> {
  await waitingToken(system, { app: { ...system.app, clientId: apps[place] ?? '' }, email });
}

beforeAll(async () => {
  system = await startSystem({ env: { LEGACY_BACKEND_URL: 'http://127.0.0.1:9' } });
  sam = await browserOf(system, SAM);
  await addApps(1, 12);
});
afterAll(() => system.stop());

test('twelve apps have a card each', async () => {
  const page = await home();
  expect(page.body).not.toContain('own-sort');
  expect(page.body.match(/id="own-[0-9a-f]{24}"/g)).toHaveLength(12);
});

test('above twelve they stand in a table, with what needs somebody first, and what was counted when', async () => {
  await addApps(13, 60);
  for (const email of ['a@box.example', 'b@box.example']) await addWaiting(58, email);
  await addWaiting(40, 'c@box.example');
  await keepProgress(system.bridge.context);
  const page = await home();
  const words = wordsOf(page);
  expect(page.body).not.toMatch(/id="own-[0-9a-f]{24}"/);
  expect(words).toMatch(/All 60 Waiting 2 Nobody waits 58 .*1 to 50 of 60/);
  expect(words).toContain('is as counted');
  expect(words).toMatch(
    /2 of your apps still wait for their users .*Planner 59: 2 people.*Planner 41: 1 person/,
  );
  expect(words).toContain('You are counted too where a token of yours waits.');
  const lines = linesOf(page);
  expect(lines).toHaveLength(50);
  expect(lines[0]).toMatch(/^Planner 59 .*2 tokens? waiting.* 2 /);
  expect(lines[1]).toMatch(/^Planner 41 /);
});

const rowOf = async (name: string) => linesOf(await home(`?own-find=${encodeURIComponent(name)}`))[0];

test('before an app is counted its owner is one of the people who wait too, as in the count', async () => {
  const { durable } = system.bridge.context.store;
  const app = { ...system.app, clientId: apps[12] ?? '' };
  const { id } = await waitingToken(system, { app, accountId: SAM.accountId });
  expect(await rowOf('Planner 13')).toMatch(/^Planner 13 1 token waiting 1 /);
  await durable.deleteFrom('mappings').where('id', '=', id).execute();
  expect(await rowOf('Planner 13')).toMatch(/^Planner 13 none yet 0 /);
});

test('its tabs, orders, pages and search show what they say', async () => {
  expect(linesOf(await home('?own-show=waiting'))).toHaveLength(2);
  expect(linesOf(await home('?own-show=done'))).toHaveLength(50);
  expect(linesOf(await home('?own-sort=name'))[0]).toContain('Planner 01');
  const first = await home('?own-sort=name');
  const next = /href="([^"#]+)#own-apps">Next page/.exec(first.body)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const second = await sam.get(`${system.bridgeUrl}${next}`);
  expect(linesOf(second).map((line) => line.slice(0, 10))).toEqual(
    Array.from({ length: 10 }, (_, at) => `Planner ${51 + at}`),
  );
  expect(wordsOf(second)).toContain('51 to 60 of 60');
  const back =
    /href="([^"#]+)#own-apps">Previous page/.exec(second.body)?.[1]?.replaceAll('&amp;', '&') ?? '';
  expect(linesOf(await sam.get(`${system.bridgeUrl}${back}`))).toEqual(linesOf(first));
  const left = await pressIn(sam, first, /^Find$/, { find: 'planner 4' });
  expect(linesOf(await sam.get(`${system.bridgeUrl}${left.location}`))).toHaveLength(10);
});

test.each(['?own-show=x', '?use-sort=x', '?own-after=x', '?own-find=a&own-find=b'])(
  '%s is refused',
  async (query) => {
    expect((await home(query)).status).toBe(400);
  },
);

test('who is not their owner sees none of them', async () => {
  const dana = await browserOf(system, DANA);
  const page = await dana.get(`${system.bridgeUrl}/apps?own-find=planner`);
  expect(page.body).not.toContain('Planner');
});
