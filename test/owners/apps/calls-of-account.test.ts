import { DAY } from '../../../src/shared/lifetimes.ts';
import { ensureAccount } from '../../../src/store/accounts/accounts.ts';
import { insertionOf } from '../../../src/store/driver/many-rows.ts';
import { countCallsSince } from '../../../src/store/usage/known-calls.ts';
import { registerLegacyApp } from '../../support/bridge/register-app.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import type { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { browserOf, DANA, SAM, wordsOf } from '../support/people.ts';

/**
 * The first page of a person with thousands of tokens at several apps. The calls of all apps are read together: each app
 * is told its own, and an app whose tokens are not all read is not said to have made no more.
 */

const MOST = 5000;

const clock = new SettableClock();
let system: System;
let dana: CookieWalker;
let [big, small, other] = ['', '', ''];

/** Ids rise with the numbers. */
const idOf = (number: number) => number.toString(16).padStart(24, '0');

/** Waiting tokens of an account at an app, from before the bridge. */
async function addTokens(clientId: string, accountId: string, from: number, count: number): Promise<void> {
  const { durable } = system.bridge.context.store;
  const rows = Array.from({ length: count }, (_, index) => ({
    id: idOf(from + index),
    token_digest: `none.${from + index}`,
    client_id: clientId,
    account_id: accountId,
    state: 'unmapped' as const,
    source: 'imported' as const,
    created_at: 0,
    updated_at: 0,
  }));
  await insertionOf(durable, 'mappings', rows).execute(durable);
}

async function call(times: number, id: number): Promise<void> {
  const { usage } = system.bridge.context;
  const one = { mappingId: idOf(id), endpoint: '/1/user.json', carrier: 'header', userAgent: 'x' } as const;
  for (let index = 0; index < times; index += 1) usage.note({ ...one, status: 200 });
  await usage.flush();
}

/** The words of the card of an app, up to the name of the next one. */
async function cardOf(clientId: string): Promise<string> {
  const page = await dana.get(`${system.bridgeUrl}/apps`);
  expect(page.status).toBe(200);
  const cards = page.body.slice(page.body.indexOf('Apps that use your account')).split('<h3');
  return wordsOf({ ...page, body: `<main><h3${cards.find((card) => card.includes(clientId)) ?? ''}</main>` });
}

beforeEach(async () => {
  clock.set(Math.floor(Date.now() / DAY) * DAY + DAY / 2);
  system = await startSystem({ clock });
  await countCallsSince(system.bridge.context.store, 0);
  dana = await browserOf(system);
  const added = [];
  for (const name of ['big', 'small', 'other'])
    added.push(await registerLegacyApp(system.bridge, `https://${name}.example/cb`));
  [big, small, other] = added.map(({ clientId }) => clientId) as [string, string, string];
});
afterEach(() => system.stop());

test('each app is told the calls of the own tokens, of all days and of nobody else', async () => {
  await addTokens(big, DANA.accountId, 1, 3);
  await addTokens(small, DANA.accountId, 10, 1);
  await addTokens(other, DANA.accountId, 20, 1);
  await ensureAccount(system.bridge.context.store.durable, SAM.accountId, 0);
  await addTokens(big, SAM.accountId, 30, 1);
  await call(2, 1);
  clock.advance(DAY);
  await call(3, 3);
  await call(7, 10);
  await call(100, 30);
  dana = await browserOf(system);
  expect(await cardOf(big)).toContain(' 5 calls in the last 30 days');
  expect(await cardOf(small)).toContain(' 7 calls in the last 30 days');
  expect(await cardOf(other)).toContain('No call in the last 30 days');
  clock.advance(29 * DAY);
  dana = await browserOf(system);
  expect(await cardOf(big)).toContain(' 3 calls in the last 30 days');
});

test('an app with an imported token has no calls since its import, the others none in all the days', async () => {
  await addTokens(big, DANA.accountId, 1, 2);
  await addTokens(small, DANA.accountId, 10, 1);
  await system.bridge.context.store.durable
    .insertInto('events')
    .values({
      uid: 'import',
      at: clock.now(),
      actor: 'test',
      action: 'token_imported',
      client_id: big,
      mapping_id: idOf(2),
    })
    .execute();
  expect(await cardOf(big)).toMatch(/No call since \d+ \w+ \d{4}/);
  expect(await cardOf(small)).toContain('No call in the last 30 days');
});

test('of more tokens than are read, the calls of the apps at the end are at least so many, or not told', async () => {
  await addTokens(big, DANA.accountId, 1, MOST - 1);
  await addTokens(small, DANA.accountId, MOST, 1);
  await call(4, 1);
  await call(5, MOST - 1);
  await call(6, MOST);
  expect(await cardOf(big)).toContain(' 9 calls in the last 30 days');
  expect(await cardOf(small)).toMatch(/(?<!at least) 6 calls in the last 30 days/);
  await addTokens(small, DANA.accountId, MOST + 1, 1);
  await addTokens(other, DANA.accountId, MOST + 2, 1);
  await call(8, MOST + 1);
  await call(1, MOST + 2);
  expect(await cardOf(big)).toMatch(/(?<!at least) 9 calls in the last 30 days/);
  expect(await cardOf(small)).toContain('at least 6 calls in the last 30 days');
  expect(await cardOf(other)).toContain('Its calls are on its page');
});
