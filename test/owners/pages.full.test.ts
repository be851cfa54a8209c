import type { Browser, Page } from 'playwright-core';
import { reauthorizationLink } from '../../src/domain/authorization/reauthorize.ts';
import { browserMissing, newVisitor, openChromium, type Visitor } from '../browser/chromium.ts';
import { inspect } from '../browser/inspect.ts';
import { follow, press, seeHeading, signIn } from '../browser/steps.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { DANA, SAM, waitingToken } from './support/people.ts';

/** The owners' pages in a real browser: without script, in every width and scheme, with nothing for axe to find. */

let system: System;
let browser: Browser;
let visitor: Visitor;
let page: Page;

const LONG_NAME = `Scheduler of the ${'very '.repeat(12)}long name`;

/** Waits for a page, and looks at it in every view. */
async function see(heading: string, name: string): Promise<void> {
  await seeHeading(page, heading);
  expect(await inspect(page, `owners-${name}`)).toEqual([]);
}

(browserMissing ? describe.skip : describe)('the owners’ pages', () => {
  beforeAll(async () => {
    [system, browser] = await Promise.all([startSystem(), openChromium()]);
    const { durable } = system.bridge.context.store;
    const long = await system.registerApp('https://long.example/cb');
    await durable
      .updateTable('apps')
      .set({ name: LONG_NAME, owner_account_id: DANA.accountId })
      .where('client_id', '=', long.clientId)
      .execute();
    for (const state of ['unmapped', 'reauthorization_required', 'revoked', 'migrated'] as const)
      await waitingToken(system, { accountId: DANA.accountId, state });
    await waitingToken(system, { app: long, accountId: DANA.accountId });
    await waitingToken(system, { accountId: SAM.accountId });
    await waitingToken(system, { email: DANA.login });
  });
  afterAll(async () => {
    await browser.close();
    await system.stop();
  });
  beforeEach(async () => {
    visitor = await newVisitor(browser);
    page = await visitor.newTab();
  });
  afterEach(async () => {
    await visitor.leave();
    expect(visitor.complaints).toEqual([]);
  });

  test('lead from a mailed link through the sign-in to tokens that work', async () => {
    const pair = { clientId: system.app.clientId, accountId: DANA.accountId };
    const link = await reauthorizationLink(system.bridge.context, pair);
    await page.goto(link);
    await see('Connect “Old App” again', 'link-signed-out');
    await page.goto(`${system.bridgeUrl}/apps`);
    await signIn(page, DANA);
    await press(page, 'Allow');
    await page.goto(link);
    await see('Connect “Old App” again', 'link');
    await press(page, 'Connect');
    await press(page, 'Deny');
    await see('Nothing was changed', 'denied');
    await follow(page, 'Back to the app’s page');
    await see('Old App', 'app');
    await press(page, 'Connect');
    await press(page, 'Use another account');
    await signIn(page, SAM);
    await press(page, 'Allow');
    await see('Nothing was changed', 'another-account');
    await press(page, 'Use another account');
    await signIn(page, DANA);
    await press(page, 'Allow');
    await see('“Old App” is connected', 'app-connected');
    await page.goto(link);
    await see('Already connected', 'link-done');
    const samsLink = await reauthorizationLink(system.bridge.context, { ...pair, accountId: SAM.accountId });
    await page.goto(samsLink);
    await see('This link is for another account', 'link-of-another');
    await follow(page, 'Your apps');
    await see('Your apps', 'apps');
    await page.getByRole('link', { name: LONG_NAME }).first().click();
    await see(LONG_NAME, 'owned-app');
    await page.goto(`${system.bridgeUrl}/apps/${system.app.clientId}/revoke`);
    await see('Revoke “Old App”?', 'revoke');
    await press(page, 'Revoke');
    await see('Old App', 'revoked');
    await press(page, 'Sign out');
    await see('You are signed out', 'signed-out');
  }, 240_000);

  test('say how to go on when the sign-in is refused', async () => {
    await page.goto(`${system.bridgeUrl}/apps`);
    await press(page, 'Cancel');
    await see('You are not signed in', 'not-signed-in');
  });
});
