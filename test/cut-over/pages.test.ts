import { cutOverApp } from '../../src/domain/cut-over/cut-over-app.ts';
import { keepMovingCalls } from '../../src/domain/cut-over/outlook.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { dayOf } from '../../src/shared/moments.ts';
import { browserOf, DANA, wordsOf } from '../owners/support/people.ts';
import { staffBrowser } from '../staff/support/staff-browser.ts';
import type { LegacyApp } from '../support/callers/authorize.ts';
import type { CookieWalker } from '../support/callers/cookie-walker.ts';
import { type OldBackend, startOldBackend } from '../support/servers/old-backend.ts';
import { registerLegacyApp } from '../support/bridge/register-app.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { addPairs, addUse, type ConnectedPair } from './support/pairs.ts';

/** What owners and support read of a cut-over and of the budget that it takes. */

let old: OldBackend;
let system: System;
let app: LegacyApp;
let owner: CookieWalker;
let staff: CookieWalker;
let pair: ConnectedPair;

beforeAll(async () => {
  old = await startOldBackend({ accounts: [] });
  system = await startSystem({ env: { LEGACY_BACKEND_URL: old.url } });
  app = await registerLegacyApp(system.bridge, 'https://own.example/cb', DANA.accountId);
  owner = await browserOf(system);
  staff = await staffBrowser(system, 'reader');
});

afterAll(async () => {
  await system.stop();
  await old.close();
});

async function words(browser: CookieWalker, path: string): Promise<string> {
  const page = await browser.get(`${system.bridgeUrl}${path}`);
  expect(page.status).toBe(200);
  return wordsOf(page);
}

const ofOwner = () => words(owner, `/apps/${app.clientId}`);
const ofSupport = () => words(staff, `/support/apps/${app.clientId}`);
const ofToken = () => words(staff, `/support/mappings/${pair.mappingId}`);
const firstPage = () => words(staff, '/support');

test('while nobody is connected nothing is said of a budget', async () => {
  expect(await firstPage()).not.toContain('budget');
  expect(await ofSupport()).toContain('Nothing is left to move earlier');
  expect(await ofOwner()).not.toContain('Who answers before the retirement');
});

test('before a cut-over everybody sees what moves, and the owner how many never consented to posts', async () => {
  const { context } = system.bridge;
  const { clientId } = app;
  pair = (await addPairs(context, { clientId, count: 5 }))[0]!;
  await addPairs(context, { clientId, count: 2, scope: 'account:read posts:read offline_access' });
  const day = dayOf(context.clock.now() - DAY);
  const use = { mapping_id: pair.mappingId, endpoint: '/1/updates/create.json', calls: 12, day };
  await addUse(context, use);
  const told = /7 accounts with 7 tokens .* 12 calls that will cost 24 requests/;
  expect(await firstPage()).toMatch(told);
  expect(await firstPage()).toContain('budget at the new API');
  expect(await ofSupport()).toMatch(told);
  expect(await ofSupport()).toContain('The old API answers the calls of connected accounts');
  expect(await ofToken()).toContain('The old API answers its calls until the retirement or a cut-over');
  const page = await ofOwner();
  expect(page).toContain('The old API answers most calls of connected accounts');
  expect(page).toMatch(/2 of 7 connected accounts never consented to posts:read and posts:write/);
});

test('after a cut-over they see how far it goes, why, and what is left', async () => {
  const change = {
    clientId: app.clientId,
    percent: 100,
    before: 0,
    reason: 'a rehearsal',
    actor: 'command:op',
  };
  await cutOverApp(system.bridge.context, change);
  const page = await ofSupport();
  expect(page).toContain('The new API answers 100 % of the accounts that connected this app');
  expect(await ofToken()).toContain('The new API answers all its calls: the app is cut over');
  expect(page).toContain('a rehearsal – by op (command)');
  expect(page).toContain('It was set how many accounts of the app the new API answers early');
  expect(page).toContain('Nothing is left to move earlier');
  expect(await firstPage()).not.toContain('budget');
  expect(await ofOwner()).toContain(
    'The new API answers all calls of 100 % of the connected accounts already',
  );
});

test('of more tokens than a page looks at the first page has the last count, and the page of the app says it', async () => {
  const { context } = system.bridge;
  const many = await registerLegacyApp(system.bridge, 'https://many.example/cb', DANA.accountId);
  await addPairs(context, { clientId: many.clientId, count: 2001 });
  expect(await firstPage()).not.toContain('moves to the new API');
  // As on a machine whose counts were lost.
  await context.store.volatile.deleteFrom('moving_calls').execute();
  expect(await firstPage()).toContain('moves to the new API has not been counted yet');
  await keepMovingCalls(context);
  expect(await firstPage()).toMatch(/2,001 accounts with 2,001 tokens [^:]*, as counted at /);
  // The tokens that are looked at are waiting ones too: of what was found there may be more.
  expect(await words(owner, `/apps/${many.clientId}`)).toContain('At least 1,999 connected accounts have');
  const page = await words(staff, `/support/apps/${many.clientId}`);
  expect(page).toContain('It has too many tokens to reckon their calls on this page');
});
