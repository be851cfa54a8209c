import type { Browser } from 'playwright-core';
import { addStaff } from '../../../src/domain/accounts/staff.ts';
import { browserMissing, newVisitor, openChromium } from '../../browser/chromium.ts';
import { inspect, type View } from '../../browser/inspect.ts';
import { arriveAt } from '../../browser/support/arrive.ts';
import { plan } from '../../lifecycle/support/lifecycle-rows.ts';
import { DANA } from '../../owners/support/people.ts';
import { type ForecastWorld, startForecastWorld, tenADay } from './support/kept-numbers.ts';

/** The forecast in a real browser: on a phone and on a desk, by day and by night. */

const VIEWS: View[] = [390, 1280].flatMap((width) => [
  { width, colorScheme: 'light' as const },
  { width, colorScheme: 'dark' as const },
]);

const describeIf = browserMissing ? describe.skip : describe;

describeIf('in Chromium', () => {
  let world: ForecastWorld;
  let browser: Browser;

  beforeAll(async () => {
    world = await startForecastWorld();
    const { bridge } = world.system;
    const origin = { actor: 'command', requestId: null };
    await addStaff(bridge.context, { account: DANA.accountId, role: 'reader', ...origin });
    await world.keep({ waiting: tenADay });
    await plan(bridge, { dates: { retirement: Date.parse('2027-01-21') } });
    await bridge.context.lifecycle.refresh();
    browser = await openChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await world?.system.stop();
  });

  test('every page with a forecast fits, is read by all, and breaks no policy', async () => {
    const visitor = await newVisitor(browser);
    const page = await visitor.newTab();
    const { bridgeUrl } = world.system;
    await arriveAt(page, `${bridgeUrl}/apps/progress`, DANA);
    const pages = [`/apps/${world.clientId}`, '/apps/progress', '/support/numbers'];
    const found: string[] = [];
    for (const [index, path] of pages.entries()) {
      await page.goto(`${bridgeUrl}${path}`);
      const drawn = page.locator('svg:visible .chart-forecast').nth(-1);
      // Fails where it never comes: the page may be drawn after its load.
      await drawn.waitFor({ state: 'visible' });
      found.push(...(await inspect(page, `forecast-${index}`, VIEWS)));
    }
    expect([...found, ...visitor.complaints]).toEqual([]);
    await visitor.leave();
  });
});
