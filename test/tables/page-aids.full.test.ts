import type { Browser, Page } from 'playwright-core';
import { addStaff } from '../../src/domain/accounts/staff.ts';
import { browserMissing, newVisitor, openChromium, type Visitor } from '../browser/chromium.ts';
import { findingsOf } from '../browser/inspect.ts';
import { arriveAt } from '../browser/support/arrive.ts';
import { DANA, waitingToken } from '../owners/support/people.ts';
import { registerLegacyApp } from '../support/bridge/register-app.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** In a browser: the key of the search box, the buttons to copy, and tables by keyboard alone. */

let system: System;
let browser: Browser;
let visitor: Visitor;
let page: Page;
let clientId: string;

beforeAll(async () => {
  if (browserMissing !== undefined) throw new Error(browserMissing);
  [system, browser] = [await startSystem(), await openChromium()];
  const app = await registerLegacyApp(system.bridge, 'https://own.example/cb', DANA.accountId);
  ({ clientId } = app);
  for (let count = 0; count < 55; count += 1)
    await waitingToken(system, { app, email: `p${count}@box.example` });
  const origin = { actor: 'command', requestId: null };
  visitor = await newVisitor(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
  page = await visitor.newTab();
  await arriveAt(page, `${system.bridgeUrl}/apps`, DANA);
  await addStaff(system.bridge.context, { account: DANA.accountId, role: 'lead', ...origin });
}, 60_000);
afterAll(async () => {
  await visitor.leave();
  await browser.close();
  await system.stop();
});

const focused = () => page.evaluate('document.activeElement.name');

test('the key / leads to the search of support, writes nothing, and is a letter where somebody types', async () => {
  await page.goto(`${system.bridgeUrl}/support/desks`);
  await page.keyboard.press('/');
  expect(await focused()).toBe('q');
  await page.keyboard.type('a/b');
  expect(await page.inputValue('#site-search')).toBe('a/b');
  await page.fill('#site-search', clientId);
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/support/apps/${clientId}`);
});

test('a button copies the id beside it, and says so', async () => {
  await page.goto(`${system.bridgeUrl}/support/apps/${clientId}`);
  const button = page.getByRole('button', { name: 'Copy the client id' });
  await button.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('status').filter({ hasText: 'Copied' }).first().waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(clientId);
});

test('the next page and the one before are reached by keyboard alone', async () => {
  await page.goto(`${system.bridgeUrl}/apps/${clientId}/tokens`);
  await page.getByRole('link', { name: 'Next page' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Previous page' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('1 to 50 of 56').waitFor();
});

test.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 360],
  ['dark', 360],
] as const)(
  'axe finds nothing on the tables in %s at %i, and rows are 44 pixels high',
  async (scheme, width) => {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 800 });
    for (const path of [
      `/apps/${clientId}/tokens`,
      `/apps/${clientId}/tokens?find=nothing`,
      `/support/apps/${clientId}`,
      `/support/accounts/${DANA.accountId}`,
      '/support/desks/no-account',
      '/support/desks/died-today',
    ]) {
      await page.goto(`${system.bridgeUrl}${path}`);
      expect([path, await findingsOf(page, scheme === 'dark')]).toEqual([path, []]);
    }
    if (width < 1000) return;
    await page.goto(`${system.bridgeUrl}/apps/${clientId}/tokens`);
    const heights = await page.$$eval('table.rows tbody tr', (rows) => rows.map((row) => row.clientHeight));
    expect(heights.filter((height) => height < 43 || height > 46)).toEqual([]);
  },
);

test('nothing was complained about', () => {
  expect(visitor.complaints).toEqual([]);
});
