import { setTimeout as pause } from 'node:timers/promises';
import { reauthorizationLink } from '../../src/domain/authorization/reauthorize.ts';
import { CookieWalker, type Page } from '../support/callers/cookie-walker.ts';
import type { RegisteredApp } from '../support/bridge/register-app.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { browserOf, consentAt, DANA, pressIn, SAM, waitingToken, wordsOf } from './support/people.ts';

/** The page after a consent: it proves the connection by a read, or says truthfully that it could not. */

let system: System;
let browser: CookieWalker;
let app: RegisteredApp;

beforeEach(async () => {
  system = await startSystem({ env: { PROFILES_FRESH_SECONDS: '0', PROFILES_STALE_SECONDS: '0' } });
  app = (await system.registerApp('https://waiting.example/callback')) as RegisteredApp;
  await waitingToken(system, { app, accountId: DANA.accountId });
  browser = new CookieWalker();
});

afterEach(() => system.stop());

const pageOf = () => `${system.bridgeUrl}/apps/${app.clientId}/connected`;

/** From the mailed link to the return of the consent. */
async function connect(): Promise<Page> {
  const pair = { clientId: app.clientId, accountId: DANA.accountId };
  const page = await browser.get(await reauthorizationLink(system.bridge.context, pair));
  return browser.get(await consentAt(system, await pressIn(browser, page, /^Connect$/), { person: DANA }));
}

/** What the reads of the main API meet from now on. */
const refuseReads = (status: number) => {
  system.proxy.insteadOfOther = ({ path }) =>
    path === '/' ? { status, headers: {}, body: Buffer.from('{}') } : undefined;
};

test('it reads with the new connection and names what it read, each time it is opened', async () => {
  const before = system.proxy.readings().length;
  const page = await browser.follow(await connect());
  expect(wordsOf(page)).toMatch(/We just read 12 channels .*Dana’s Bakery Twitter Profile.*and 7 more/);
  const read = system.proxy.readings().length;
  expect(read).toBeGreaterThan(before + 1);
  await browser.get(pageOf());
  expect(system.proxy.readings().length).toBeGreaterThan(read);
});

test('where the new API does not answer it says so and what happens next, and the connection stays', async () => {
  const back = await connect();
  refuseReads(503);
  const page = await browser.follow(back);
  expect(wordsOf(page)).toMatch(/“Old App” is connected The app is connected\. We could not read your/);
  expect(wordsOf(page)).toMatch(/calls work as soon as it answers\. Read once more/);
  expect(wordsOf(page)).not.toContain('We just read');
  system.proxy.insteadOfOther = undefined;
  await pause(1000);
  expect(wordsOf(await browser.get(pageOf()))).toContain('We just read 12 channels');
});

test('a new API that takes its time holds the page up for four seconds at most', async () => {
  const back = await connect();
  let goOn: (() => void) | undefined;
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  system.proxy.onOtherCall = ({ path }) => (path === '/' ? held : Promise.resolve());
  const began = performance.now();
  const page = await browser.follow(back);
  const took = performance.now() - began;
  goOn?.();
  expect(wordsOf(page)).toContain('We could not read your channels yet');
  expect(took).toBeGreaterThan(3900);
  expect(took).toBeLessThan(8000);
});

test('a connection that was taken back at the new API is called ended, whatever the address says', async () => {
  await connect();
  const { store } = system.bridge.context;
  await store.durable.updateTable('grants').set({ access_expires_at: 0 }).execute();
  system.proxy.onTokenAnswer = () => ({
    status: 400,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from('{"error":"invalid_grant"}'),
  });
  refuseReads(401);
  const page = await browser.get(pageOf());
  expect(wordsOf(page)).toMatch(/The connection of “Old App” has ended.*until you connect the app again/);
  expect(wordsOf(page)).not.toContain('is connected');
});

test('a consent of fewer rights says which ones the app does not have', async () => {
  system.proxy.onTokenAnswer = (_call, answer) => {
    const body = { ...JSON.parse(answer.body.toString()), scope: 'account:read offline_access' };
    const { 'content-length': _length, ...headers } = answer.headers;
    return { ...answer, headers, body: Buffer.from(JSON.stringify(body)) };
  };
  const page = await browser.follow(await connect());
  expect(wordsOf(page)).toMatch(/We just read 12 channels/);
  expect(wordsOf(page)).toMatch(
    /does not have all rights .* Connect again to allow: See your posts and your queue Create and manage posts for you/,
  );
  expect(wordsOf(page)).not.toContain('Keep this access');
});

test('a consent that may not even say who consented connects nothing and signs nobody in', async () => {
  refuseReads(403);
  const page = await connect();
  expect(wordsOf(page)).toMatch(/Nothing was changed.*was not connected/);
  expect((await browser.get(`${system.bridgeUrl}/apps/account`)).status).toBe(303);
  const { durable } = system.bridge.context.store;
  expect(await durable.selectFrom('grants').select('id').execute()).toEqual([]);
});

test('the next app that waits is one click away, and how many come after it', async () => {
  for (const name of ['second', 'third']) {
    const other = (await system.registerApp(`https://${name}.example/cb`)) as RegisteredApp;
    await waitingToken(system, { app: other, accountId: DANA.accountId });
  }
  const page = await browser.follow(await connect());
  expect(wordsOf(page)).toMatch(/Next: .*1 more app waits for you after it/);
  const left = await pressIn(browser, page, /^Connect “/);
  const next = await browser.follow(await browser.get(await consentAt(system, left, { person: DANA })));
  expect(wordsOf(next)).toMatch(/is connected We just read 12 channels/);
  expect(wordsOf(next)).not.toContain('after it');
});

test('its address alone proves nothing: without a connection it leads to the app, and strangers sign in', async () => {
  const sam = await browserOf(system, SAM);
  await connect();
  expect((await sam.get(pageOf())).location).toBe(`/apps/${app.clientId}`);
  expect((await new CookieWalker().get(pageOf())).location).toContain('/sign-in?return_to=');
});
