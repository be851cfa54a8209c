import type { Browser, Page } from 'playwright-core';
import { NEWS } from '../../../src/demo-data/apps.ts';
import { DANA } from '../../owners/support/people.ts';
import { browserMissing, newVisitor, openChromium, type Visitor } from '../chromium.ts';
import { arriveAt } from '../support/arrive.ts';
import { type DemoWorld, startDemoWorld } from '../support/demo-world.ts';

/** The head of an app on each of its pages, at a desk and on a phone. */

const SCREENS = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];

const TABS = ['/tokens', '/calls', '/live', '/move', '/new-calls', '/rehearse', '/secrets'];
const FURTHER = ['/modern-client', '/contacts', '/webhooks'];

let world: DemoWorld;
let browser: Browser;
let visitor: Visitor;
let page: Page;

if (browserMissing) process.stderr.write(`The browser tests are skipped: ${browserMissing}.\n`);

const home = () => `${world.bridgeUrl}/apps/${NEWS.clientId}`;

const boxOf = (selector: string) => page.locator(selector).first().boundingBox();

(browserMissing ? describe.skip : describe).each(SCREENS)('at $width x $height', (viewport) => {
  beforeAll(async () => {
    world = await startDemoWorld();
    browser = await openChromium();
    visitor = await newVisitor(browser, { viewport });
    page = await visitor.newTab();
    await arriveAt(page, `${world.bridgeUrl}/apps`, DANA);
  });

  afterAll(async () => {
    await browser.close();
    await world.stop();
  });

  test('the next date and the calls are in the first screen', async () => {
    await page.goto(home());
    for (const selector of ['#next-date', '#calls', '#calls + p']) {
      const box = await boxOf(selector);
      expect([selector, box && box.y >= 0 && box.y + box.height <= viewport.height]).toEqual([
        selector,
        true,
      ]);
      expect([selector, box && box.x >= 0 && box.x + box.width <= viewport.width]).toEqual([selector, true]);
    }
  });

  test('head and width are the same on every page, and the open tab can be seen', async () => {
    await page.goto(home());
    const [head, main] = [await boxOf('.app-facts'), await boxOf('main')];
    const facts = await page.locator('.app-facts').innerText();
    for (const path of [...TABS, ...FURTHER]) {
      await page.goto(home() + path);
      expect([path, await boxOf('.app-facts'), (await boxOf('main'))?.width]).toEqual([
        path,
        head,
        main?.width,
      ]);
      expect([path, await page.locator('.app-facts').innerText()]).toEqual([path, facts]);
      const tab = await boxOf('.app-head [aria-current]');
      expect([path, tab && tab.x >= 0 && tab.x + tab.width <= viewport.width]).toEqual([path, true]);
    }
    expect(visitor.complaints).toEqual([]);
  });
});
