import type { Browser, Page } from 'playwright-core';
import { addStaff } from '../../../src/domain/accounts/staff.ts';
import type { Person } from '../../support/callers/authorize.ts';
import { DANA, SAM } from '../../owners/support/people.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { browserMissing, newVisitor, openChromium, type Visitor } from '../chromium.ts';
import { findingsOf, inspect, type View } from '../inspect.ts';
import { EMPTY_PAGES, OWNER_PAGES, type Shown, STAFF_PAGES, STRANGERS_PAGES } from './all-pages.ts';
import { arriveAt } from './arrive.ts';
import { type DemoWorld, startDemoWorld } from './demo-world.ts';
import { liveIn } from './lived-in.ts';
import { fillMany, MANY_PAGES } from './many.ts';
import { OWNER_ACTS, SECOND_PAGES, STAFF_ACTS } from './lived-in-pages.ts';

/** Looks at pages of people: on the data of the demo, where nothing is known yet, and without a sign-in. */

const LIMIT = 60_000;

/** A page that broke is as sound as any other to whoever looks at its elements alone. */
async function brokenBy(page: Page): Promise<string[]> {
  const broken = page.getByRole('heading', { name: 'Something went wrong', exact: true });
  return (await broken.count()) === 0 ? [] : ['the page could not be shown'];
}

/** Who looks on, by the system that they look at. */
const ONLOOKERS = ['lead', 'second', 'stranger', 'empty', 'many'] as const;

type Onlooker = (typeof ONLOOKERS)[number];

type Group = readonly [about: string, onlooker: Onlooker, pages: readonly Shown[]];

const GROUPS: readonly Group[] = [
  ['of owners holds', 'lead', [...OWNER_PAGES, ...OWNER_ACTS]],
  ['of support holds', 'lead', [...STAFF_PAGES, ...STAFF_ACTS]],
  ['holds for another owner', 'second', SECOND_PAGES],
  ['holds where nothing is known', 'empty', EMPTY_PAGES],
  ['holds where there is much', 'many', MANY_PAGES],
  ['holds for somebody who is not signed in', 'stranger', STRANGERS_PAGES],
];

/** Whose names are meant; without any, all. */
function groupsOf(names: readonly string[] | undefined): Group[] {
  if (names === undefined) return [...GROUPS];
  const isMeant = ({ name }: Shown) => names.includes(name);
  const chosen = GROUPS.map(([about, who, pages]) => [about, who, pages.filter(isMeant)] as const);
  const found = chosen.flatMap(([, , pages]) => pages);
  if (found.length !== names.length) throw new Error('a name is of no page');
  return chosen.filter(([, , pages]) => pages.length > 0);
}

/** The browser and what it looks at; whom nobody asks for is not started. */
async function openWorld() {
  const [world, browser] = await Promise.all([startDemoWorld(), openChromium()]);
  const visitors: Visitor[] = [];
  const others: System[] = [];

  async function newTab(): Promise<Page> {
    const visitor = await newVisitor(browser);
    visitors.push(visitor);
    const page = await visitor.newTab();
    await page.setViewportSize({ width: 360, height: 800 });
    return page;
  }

  async function signedIn({ bridgeUrl }: System, person: Person): Promise<{ page: Page; base: string }> {
    const page = await newTab();
    await arriveAt(page, `${bridgeUrl}/apps`, person);
    return { page, base: bridgeUrl };
  }

  /** Without the data of the demo, and with a lead. */
  async function startOther({ accountId }: typeof SAM): Promise<System> {
    const other = await startSystem();
    others.push(other);
    const named = { account: accountId, role: 'lead', actor: 'test', requestId: null } as const;
    await addStaff(other.bridge.context, named);
    return other;
  }

  const openers: Record<Onlooker, () => Promise<{ page: Page; base: string }>> = {
    lead: () => signedIn(world, DANA),
    second: () => signedIn(world, SAM),
    stranger: async () => ({ page: await newTab(), base: world.bridgeUrl }),
    empty: async () => signedIn(await startOther(SAM), SAM),
    async many() {
      const many = await startOther(DANA);
      await fillMany(many);
      return signedIn(many, DANA);
    },
  };
  return {
    world,
    openers,
    async close() {
      for (const visitor of visitors) await visitor.leave();
      await closeAll(browser, world, ...others);
      expect(visitors.flatMap(({ complaints }) => complaints)).toEqual([]);
    },
  };
}

async function closeAll(browser: Browser, ...systems: System[]): Promise<void> {
  await browser.close();
  for (const system of systems) await system.stop();
}

type Looking = { page: Page; base: string; world: DemoWorld };

/** With pictures in these views; without any on a phone by day, as the tab is. */
async function look({ page, base, world }: Looking, shown: Shown, views: readonly View[]): Promise<string[]> {
  await page.goto(`${base}${shown.path}`);
  await shown.act?.(page, world);
  const found = views.length === 0 ? findingsOf(page, false) : inspect(page, `all-${shown.name}`, views);
  return [...(await brokenBy(page)), ...(await found)];
}

/**
 * Declares the tests of all pages in these views, with pictures, where people have really connected apps; or of the named
 * ones alone on the data of the demo, on a phone by day, without pictures.
 */
export function describeEveryPage(views: readonly View[], { only }: { only?: readonly string[] } = {}): void {
  if (browserMissing) process.stderr.write(`The browser tests are skipped: ${browserMissing}.\n`);

  (browserMissing ? describe.skip : describe)('every page', () => {
    let opened: Awaited<ReturnType<typeof openWorld>>;
    const looking = new Map<Onlooker, Promise<{ page: Page; base: string }>>();
    const groups = groupsOf(only);

    beforeAll(async () => {
      opened = await openWorld();
      const asked = ONLOOKERS.filter((who) => groups.some(([, onlooker]) => onlooker === who));
      for (const who of asked) looking.set(who, opened.openers[who]());
      await Promise.all(looking.values());
      const [lead, second] = [await looking.get('lead'), await looking.get('second')];
      if (lead && second) await liveIn(opened.world, { dana: lead.page, sam: second.page });
    });
    afterAll(() => opened.close());

    for (const [about, onlooker, pages] of groups)
      test.each(pages.map((shown) => [shown.name, shown] as const))(
        `${about}: %s`,
        async (_name, shown) => {
          const at = await looking.get(onlooker);
          if (!at) throw new Error('nobody looks on');
          expect(await look({ ...at, world: opened.world }, shown, views)).toEqual([]);
        },
        LIMIT,
      );
  });
}
