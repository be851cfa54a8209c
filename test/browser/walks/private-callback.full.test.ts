import type { Browser, Page } from 'playwright-core';
import { registerLegacyApp, type RegisteredApp } from '../../support/bridge/register-app.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { until } from '../../support/servers/held-answer.ts';
import { browserMissing, newVisitor, openChromium, type Visitor } from '../chromium.ts';
import { allowAll, press } from '../steps.ts';

/** An old app on a device, whose callback has a scheme of its own: the browser gives its address to the app. */

if (browserMissing) process.stderr.write(`The browser tests are skipped: ${browserMissing}.\n`);

const CALLBACK = 'old-app-on-a-phone://connected';

(browserMissing ? describe.skip : describe)('an app with a scheme of its own', () => {
  let system: System;
  let browser: Browser;
  let app: RegisteredApp;
  let visitor: Visitor;
  let page: Page;
  let reached: string[];

  beforeAll(async () => {
    [system, browser] = await Promise.all([startSystem(), openChromium()]);
    const registered = await registerLegacyApp(system.bridge, 'https://old-app.example/connected');
    // Only an import takes such a callback.
    await system.bridge.context.store.durable
      .updateTable('app_callbacks')
      .set({ uri: CALLBACK })
      .where('uri', '=', registered.callback)
      .execute();
    app = { ...registered, callback: CALLBACK };
  });
  afterAll(async () => {
    await browser.close();
    await system.stop();
  });
  beforeEach(async () => {
    visitor = await newVisitor(browser);
    page = await visitor.newTab();
    reached = [];
    page.on('request', (request) => {
      if (request.url().startsWith(CALLBACK)) reached.push(request.url());
    });
    const query = new URLSearchParams({
      client_id: app.clientId,
      response_type: 'code',
      redirect_uri: app.callback,
    });
    await page.goto(`${system.bridgeUrl}/oauth2/authorize?${query.toString()}`);
  });
  afterEach(() => visitor.leave());

  test('gets its code behind the consent', async () => {
    await allowAll(page, system.person);
    await until(() => reached.length + visitor.complaints.length > 0);
    expect(visitor.complaints).toEqual([]);
    expect(reached).toEqual([expect.stringMatching(/\?code=1\//)]);
  });

  test('is told that the person denied', async () => {
    await press(page, 'Deny');
    await until(() => reached.length + visitor.complaints.length > 0);
    expect(reached).toEqual([expect.stringContaining('error=access_denied')]);
  });
});
