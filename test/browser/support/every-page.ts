import type { Browser, Page } from 'playwright-core';
import { addStaff } from '../../../src/domain/staff.ts';
import { DANA, SAM } from '../../owners/support/people.ts';
import { startSystem, type System } from '../../support/system.ts';
import { browserMissing, newVisitor, openChromium, type Visitor } from '../chromium.ts';
import { findingsOf, inspect, type View } from '../inspect.ts';
import { EMPTY_PAGES, OWNER_PAGES, type Shown, STAFF_PAGES, STRANGERS_PAGES } from './all-pages.ts';
import { arriveAt } from './arrive.ts';
import { type DemoWorld, startDemoWorld } from './demo-world.ts';

/** Looks at every page of people: on the data of the demo, where nothing is known yet, and without a sign-in. */

const LIMIT = 60_000;

/** A page that broke is as sound as any other to whoever looks at its elements alone. */
async function brokenBy(page: Page): Promise<string[]> {
  const broken = page.getByRole('heading', { name: 'Something went wrong', exact: true });
  return (await broken.count()) === 0 ? [] : ['the page could not be shown'];
}

type Look = { shown: Shown; views: readonly View[] };

async function look(page: Page, base: string, { shown, views }: Look): Promise<string[]> {
  await page.goto(`${base}${shown.path}`);
  await shown.act?.(page);
  const found = views.length === 0 ? findingsOf(page, false) : inspect(page, `all-${shown.name}`, views);
  return [...(await brokenBy(page)), ...(await found)];
}

const eachWith = (pages: readonly Shown[]) => test.each(pages.map((shown) => [shown.name, shown] as const));

/**
 * Declares the tests of all pages in these views, with pictures, or without any on a phone alone, but for those whose names
 * are left out.
 */
export function describeEveryPage(views: readonly View[], { without }: { without?: RegExp } = {}): void {
  const eachOf = (pages: readonly Shown[]) => eachWith(pages.filter(({ name }) => !without?.test(name)));
  if (browserMissing) process.stderr.write(`The browser tests are skipped: ${browserMissing}.\n`);

  (browserMissing ? describe.skip : describe)('every page', () => {
    let world: DemoWorld;
    let empty: System;
    let browser: Browser;
    let lead: Page;
    let emptyLead: Page;
    const visitors: Visitor[] = [];

    async function newTab(): Promise<Page> {
      const visitor = await newVisitor(browser);
      visitors.push(visitor);
      const page = await visitor.newTab();
      await page.setViewportSize({ width: 360, height: 800 });
      return page;
    }

    beforeAll(async () => {
      [world, empty, browser] = await Promise.all([startDemoWorld(), startSystem(), openChromium()]);
      const named = { account: SAM.accountId, role: 'lead', actor: 'test', requestId: null } as const;
      await addStaff(empty.bridge.context, named);
      [lead, emptyLead] = [await newTab(), await newTab()];
      await arriveAt(lead, `${world.bridgeUrl}/apps`, DANA);
      await arriveAt(emptyLead, `${empty.bridgeUrl}/apps`, SAM);
    }, 120_000);
    afterAll(async () => {
      for (const visitor of visitors) await visitor.leave();
      await browser.close();
      await world.stop();
      await empty.stop();
      expect(visitors.flatMap(({ complaints }) => complaints)).toEqual([]);
    });

    eachOf(OWNER_PAGES)(
      'of owners holds: %s',
      async (_name, shown) => expect(await look(lead, world.bridgeUrl, { shown, views })).toEqual([]),
      LIMIT,
    );

    eachOf(STAFF_PAGES)(
      'of support holds: %s',
      async (_name, shown) => expect(await look(lead, world.bridgeUrl, { shown, views })).toEqual([]),
      LIMIT,
    );

    eachOf(EMPTY_PAGES)(
      'holds where nothing is known: %s',
      async (_name, shown) => expect(await look(emptyLead, empty.bridgeUrl, { shown, views })).toEqual([]),
      LIMIT,
    );

    eachOf(STRANGERS_PAGES)(
      'holds for somebody who is not signed in: %s',
      async (_name, shown) =>
        expect(await look(await newTab(), world.bridgeUrl, { shown, views })).toEqual([]),
      LIMIT,
    );
  });
}
