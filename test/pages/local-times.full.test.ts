import type { Browser, BrowserContext, Page } from 'playwright-core';
import { browserMissing, openChromium } from '../browser/chromium.ts';
import { inspect } from '../browser/inspect.ts';
import { browserOf, DANA } from '../owners/support/people.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { registerLegacyApp, type RegisteredApp } from '../support/bridge/register-app.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { until } from '../support/servers/held-answer.ts';

/** What the scripts of pages do in a real browser: times in the zone of the reader, and calls that come by themselves. */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
let system: System;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let app: RegisteredApp;
const clock = new SettableClock();
/** Nine hours from UTC. */
const ZONE = 'Asia/Tokyo';
/** What the page asked for while it was open. */
const asked: string[] = [];
const complaints: string[] = [];
/** What the library of the live page says where a stream was cut. */
const cuts: string[] = [];

async function open(options: { javaScriptEnabled?: boolean; timezoneId?: string } = {}): Promise<Page> {
  context = await browser.newContext({ timezoneId: ZONE, reducedMotion: 'reduce', ...options });
  const walker = await browserOf(system);
  const value = walker.cookie('gb_session') ?? '';
  await context.addCookies([{ name: 'gb_session', value, url: system.bridgeUrl }]);
  page = await context.newPage();
  asked.splice(0);
  cuts.splice(0);
  page.on('request', (request) => asked.push(request.url()));
  page.on('console', (message) => {
    if (message.type() !== 'error' || message.location().url.includes('/live/events')) return;
    // The library says so where a stream is cut, also by going to another page.
    (message.text() === '[object Event]' ? cuts : complaints).push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${system.bridgeUrl}/apps/${app.clientId}/live`);
  return page;
}

async function call(agent: string): Promise<void> {
  const headers = { authorization: `Bearer ${app.ownerToken}`, 'user-agent': agent };
  await sendRaw(system.bridgeUrl, { path: '/1/profiles.json', headers });
}

/**
 * Sets the sunset for a day which is not as many days away here as it is in UTC.
 * @returns how many days, in UTC and here
 */
async function sunsetOfTwoDistances(near: number): Promise<{ utc: number; here: number }> {
  const { store, lifecycle } = system.bridge.context;
  const now = clock.now();
  // From 15:00 UTC on it is the next day here.
  const isNextDay = now % DAY >= 15 * HOUR;
  const utc = near + (isNextDay ? 1 : 0);
  const at = now - (now % DAY) + utc * DAY + (isNextDay ? 10 : 20) * HOUR;
  const sunset = { name: 'sunset' as const, at, changed_at: now, changed_by: 'test' };
  await store.durable
    .insertInto('lifecycle_dates')
    .values(sunset)
    .onConflict((known) => known.column('name').doUpdateSet(sunset))
    .execute();
  await until(async () => {
    await lifecycle.refresh();
    return lifecycle.current().dates.sunset === at;
  });
  return { utc, here: isNextDay ? utc - 1 : utc + 1 };
}

/** What the public page and the first page of a person say of the days that are left. */
async function daysSaid(options: Parameters<typeof open>[0]): Promise<string[]> {
  await open(options);
  const said: string[] = [];
  for (const path of ['/lifecycle', '/apps']) {
    await page.goto(`${system.bridgeUrl}${path}`);
    said.push(...(await page.locator('.badge time').allInnerTexts()));
  }
  await context.close();
  return said;
}

/** Whether the badges stand out on both pages. */
async function badgesStandOut(options: Parameters<typeof open>[0]): Promise<boolean[]> {
  await open(options);
  const seen: boolean[] = [];
  for (const path of ['/lifecycle', '/apps']) {
    await page.goto(`${system.bridgeUrl}${path}`);
    const badges = await page.locator('.badge', { has: page.locator('time') }).all();
    for (const badge of badges) seen.push(/\bwarning\b/.test((await badge.getAttribute('class')) ?? ''));
  }
  await context.close();
  return seen;
}

/** Of the public page, and of the date and the two cards of the first page. */
const standOut = (days: number) => Array<boolean>(4).fill(days <= 30);

const daysWords = (days: number) => [
  ...Array<string>(2).fill(`in ${days} days`),
  ...Array<string>(2).fill(`${days} days left`),
];

const streams = () => asked.filter((url) => url.includes('/live/events'));

(browserMissing ? describe.skip : describe)('in a browser', () => {
  beforeAll(async () => {
    clock.run();
    [system, browser] = await Promise.all([startSystem({ clock }), openChromium()]);
    app = await registerLegacyApp(system.bridge, 'https://mine.example/cb', DANA.accountId);
  });
  afterAll(async () => {
    await browser.close();
    await system.stop();
  });
  afterEach(async () => {
    await context.close();
    expect(complaints.splice(0)).toEqual([]);
  });

  test('a call appears by itself, marked, with its time in the zone of the reader and UTC beside it', async () => {
    await open();
    await page.getByText('Listening.').waitFor();
    expect(await page.getByRole('heading', { name: 'No call to show' }).isVisible()).toBe(true);
    await call('cron/1.0');
    const row = page.getByRole('row').filter({ hasText: 'cron/1.0' });
    await row.waitFor({ timeout: 30_000 });
    const time = row.locator('time');
    expect(await time.innerText()).toMatch(/^\d+ \w+ \d{4}, \d\d:\d\d:\d\d GMT\+9$/);
    expect(await time.getAttribute('title')).toMatch(/^\d+ \w+ \d{4}, \d\d:\d\d:\d\d UTC$/);
    expect(await row.getAttribute('class')).toMatch(/\bfresh\b/);
    await page.getByText('1 new call shown since you opened this page.').waitFor({ timeout: 30_000 });
    // The other views of the page are in all-pages.
    expect(await inspect(page, 'live', [{ width: 360, colorScheme: 'light' }])).toEqual([]);
  });

  test('the public dates stand in the zone of whoever reads them, signed in or not', async () => {
    await open();
    await context.clearCookies();
    await page.goto(`${system.bridgeUrl}/lifecycle`);
    const time = page.getByText('As of').locator('time');
    expect(await time.innerText()).toMatch(/^\d+ \w+ \d{4}, \d\d:\d\d GMT\+9$/);
    expect(await time.getAttribute('title')).toMatch(/^\d+ \w+ \d{4}, \d\d:\d\d UTC$/);
  });

  test('the newest call stands first, and what was there before is not marked', async () => {
    await open();
    await page.getByText('Listening.').waitFor();
    await call('cron/2.0');
    await page.getByText('cron/2.0').waitFor({ timeout: 30_000 });
    const programs = await page.locator('tbody td[data-label="Program"]').allInnerTexts();
    expect(programs).toEqual(['cron/2.0', 'cron/1.0']);
    expect(await page.locator('tbody tr.fresh').count()).toBe(1);
  });

  test('without script the page says how to see more, and a click stops and goes on', async () => {
    await open({ javaScriptEnabled: false });
    expect(await page.getByText('Connecting').isVisible()).toBe(false);
    await page.getByRole('link', { name: 'let the page open itself again every five seconds' }).click();
    await page.getByText('opens itself again every five seconds').waitFor();
    await page.getByRole('link', { name: 'Pause' }).click();
    await page.getByRole('link', { name: 'Go on' }).click();
    await page.getByRole('link', { name: 'Look again' }).waitFor();
  });

  test('after ten minutes the page rests, says so, and asks for nothing more', async () => {
    await open();
    await page.getByText('Listening.').waitFor();
    clock.advance(10 * 60_000);
    clock.run();
    await page.getByText('This page has looked for ten minutes and rests now.').waitFor({ timeout: 30_000 });
    await page.waitForTimeout(2500);
    expect(streams()).toHaveLength(1);
    await page.getByRole('link', { name: 'Go on' }).click();
    await page.getByText('Listening.').waitFor();
  });

  test('a page whose server stops says that it is not connected, and asks for what it has not seen', async () => {
    await open();
    await page.getByText('Listening.').waitFor();
    await call('cron/3.0');
    await page.getByText('cron/3.0').waitFor({ timeout: 30_000 });
    system.bridge.context.live.end();
    await page.getByText('Not connected;').waitFor({ timeout: 30_000 });
    while (streams().length < 3) await page.waitForTimeout(100);
    expect(streams()[0]).toContain('after=0-');
    expect(streams().at(-1)).toContain('after=1-');
    expect(cuts).not.toEqual([]);
  });

  test('the days that are left are those to the date beside them: in the zone of the reader, without script in UTC', async () => {
    const { utc, here } = await sunsetOfTwoDistances(5);
    expect(await daysSaid({ timezoneId: 'UTC' })).toEqual(daysWords(utc));
    expect(await daysSaid({ javaScriptEnabled: false })).toEqual(daysWords(utc));
    expect(await daysSaid({})).toEqual(daysWords(here));
  });

  test('the badge of a date stands out from thirty days on, counted as its words are', async () => {
    const { utc, here } = await sunsetOfTwoDistances(30);
    expect([utc, here].toSorted((one, other) => one - other)).toEqual([30, 31]);
    expect(await badgesStandOut({ javaScriptEnabled: false })).toEqual(standOut(utc));
    expect(await badgesStandOut({})).toEqual(standOut(here));
  });
});
