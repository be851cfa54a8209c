import { startSystem, type System } from '../../support/bridge/system.ts';
import type { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { confirmedEntry } from '../../roles/support/take-back-scene.ts';
import { browserOf, DANA, pressIn } from '../support/people.ts';

/** An owner comes to every confirmation that can be taken back, however many there are. */

let system: System;
let dana: CookieWalker;
let entries: string[];

beforeAll(async () => {
  system = await startSystem();
  await rows().updateTable('apps').set({ owner_account_id: DANA.accountId }).execute();
  dana = await browserOf(system, DANA);
  entries = [];
  for (let made = 0; made < 45; made += 1) entries.push(await confirmedEntry(system, system.app));
});

afterAll(() => system.stop());

const rows = () => system.bridge.context.store.durable;

const at = (path: string) => `${system.bridgeUrl}${path}`;

const home = () => `/apps/${system.app.clientId}/move`;

/** The entries of all pages, the newest first. */
async function listed(): Promise<string[][]> {
  const pages: string[][] = [];
  for (let path: string | undefined = home(); path !== undefined; ) {
    const { status, body } = await dana.get(at(path));
    expect(status).toBe(200);
    pages.push([...body.matchAll(/handovers\/(\d+)\/take-back/g)].map(([, entry = '']) => entry));
    path = /href="([^"]+)">Show earlier ones/.exec(body)?.[1]?.replace(/#.*/, '');
  }
  return pages;
}

test('more than twenty come page by page, and each can be taken back', async () => {
  const pages = await listed();
  expect(pages.map(({ length }) => length)).toEqual([20, 20, 5]);
  expect(pages.flat()).toEqual(entries.toReversed());
  const oldest = entries[0] ?? '';
  const form = `/apps/${system.app.clientId}/handovers/${oldest}/take-back`;
  const left = await pressIn(dana, await dana.get(at(form)), /Take it back/);
  expect(left.location).toBe(`${home()}?done=taken-back`);
  expect((await listed()).flat()).toEqual(entries.slice(1).toReversed());
});

test('those whose pair is erased hide none of the others', async () => {
  const ended = rows().selectFrom('grants').select('id').where('dead_cause', '=', 'handed_over');
  // The oldest, which a page of the newest twenty would not reach.
  const kept = (await ended.orderBy('created_at').limit(3).execute()).map(({ id }) => id);
  await rows()
    .updateTable('grants')
    .set({ refresh_token_sealed: null, access_token_sealed: null })
    .where('id', 'not in', kept)
    .execute();
  const open = await rows()
    .selectFrom('handovers')
    .select('grant_id')
    .where('grant_id', 'in', kept)
    .where('confirmed_at', 'is not', null)
    .execute();
  const pages = await listed();
  expect(pages).toHaveLength(1);
  expect(pages.flat()).toHaveLength(open.length);
  expect(open.length).toBeGreaterThan(0);
  expect(entries.slice(0, 20)).toEqual(expect.arrayContaining(pages.flat()));
});
