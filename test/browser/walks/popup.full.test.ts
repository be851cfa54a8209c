import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { registerLegacyApp, type RegisteredApp } from '../../support/bridge/register-app.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { browserMissing, newVisitor, openChromium, type Visitor } from '../chromium.ts';
import { allowAll, press } from '../steps.ts';

/**
 * An old app that asks for the authorization in a window of its own: its callback page tells the window that opened it
 * how it went, and closes itself (docs/threats.md A22).
 */

if (browserMissing) process.stderr.write(`The browser tests are skipped: ${browserMissing}.\n`);

const CALLBACK = `<!doctype html><title>back</title><script>
  opener.document.title = location.search.includes('code=') ? 'connected' : 'not connected';
  close();
</script>`;

const START = `<!doctype html><title>start</title><button onclick="window.opened = window.open(address.value)">Connect</button>
  <input id="address">`;

/** The pages of the app, on this machine. */
async function startApp(): Promise<{ server: Server; url: string }> {
  const server = createServer((req, res) => {
    res.setHeader('content-type', 'text/html');
    res.end(req.url?.startsWith('/callback') ? CALLBACK : START);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

(browserMissing ? describe.skip : describe)('an app that opens a window', () => {
  let system: System;
  let browser: Browser;
  let pages: Awaited<ReturnType<typeof startApp>>;
  let app: RegisteredApp;
  let visitor: Visitor;
  let page: Page;

  beforeAll(async () => {
    [system, browser, pages] = await Promise.all([startSystem(), openChromium(), startApp()]);
    app = await registerLegacyApp(system.bridge, `${pages.url}/callback`);
  });
  afterAll(async () => {
    await browser.close();
    pages.server.close();
    await system.stop();
  });
  beforeEach(async () => {
    visitor = await newVisitor(browser);
    page = await visitor.newTab();
  });
  afterEach(() => visitor.leave());

  /** The window that the app has opened, on the first page of the way. */
  async function openWindow(): Promise<Page> {
    const query = new URLSearchParams({
      client_id: app.clientId,
      response_type: 'code',
      redirect_uri: app.callback,
    });
    await page.goto(pages.url);
    await page.locator('#address').fill(`${system.bridgeUrl}/oauth2/authorize?${query.toString()}`);
    const [opened] = await Promise.all([page.waitForEvent('popup'), press(page, 'Connect')]);
    return opened;
  }

  const isClosed = () => page.evaluate('opened.closed');

  test('row A22 is told by its callback page that it is connected', async () => {
    const opened = await openWindow();
    await opened.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    expect(await isClosed()).toBe(false);
    const gone = opened.waitForEvent('close');
    await allowAll(opened, system.person);
    await gone;
    expect(await page.title()).toBe('connected');
  });

  test('row A22 is told by its callback page that the person denied', async () => {
    const opened = await openWindow();
    const gone = opened.waitForEvent('close');
    await press(opened, 'Deny');
    await gone;
    expect(await page.title()).toBe('not connected');
  });
});
