import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { type Letter, NOW, sampleLetters } from '../reminders/support/letters.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { browserMissing, openChromium } from './chromium.ts';

/** The mails as people see them: in a real browser, light and dark, on a phone and on a desk, with images blocked. */

const VIEWS = [
  { width: 390, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
] as const;

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** A mail is shown inside the page of a mail program, which has the landmarks. */
const OF_THE_PROGRAM = ['region', 'landmark-one-main'];

const KINDS = [
  'holder-one-app',
  'owner-three-apps',
  'died',
  'woken',
  'unused',
  'email-person',
  'both',
  'hostile',
] as const;

const folder = resolve(import.meta.dirname, '../../var/screenshots/mails');

let system: System;
let browser: Browser;
let page: Page;
let letters: Record<string, Letter>;
let asked: string[];

async function look(name: string, html: string): Promise<string[]> {
  const found: string[] = [];
  await page.setContent(html);
  for (const { width, colorScheme } of VIEWS) {
    const view = `${name}-${width}-${colorScheme}`;
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(folder, `${view}.png`), fullPage: true });
    const axe = new AxeBuilder({ page }).setLegacyMode(true).withTags(RULES).disableRules(OF_THE_PROGRAM);
    const { violations } = await axe.analyze();
    found.push(
      ...violations.map(({ id, nodes }) => `${view}: ${id}: ${nodes.map((node) => node.html).join(' ')}`),
    );
    if (await page.evaluate('document.documentElement.scrollWidth > innerWidth'))
      found.push(`${view}: wider than its window`);
  }
  return found;
}

if (browserMissing) process.stderr.write(`The pictures of mails are skipped: ${browserMissing}.\n`);

(browserMissing ? describe.skip : describe)('a mail in a browser', () => {
  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    [system, browser] = await Promise.all([
      startSystem({ clock: new SettableClock(NOW), env: { LEGACY_BACKEND_URL: 'http://127.0.0.1:9' } }),
      openChromium(),
    ]);
    letters = await sampleLetters(system);
  });
  afterAll(async () => {
    await browser.close();
    await system.stop();
  });

  beforeEach(async () => {
    asked = [];
    const context = await browser.newContext();
    page = await context.newPage();
    // Images and everything else: a mail loads nothing.
    await page.route('**/*', async (route) => {
      asked.push(route.request().url());
      await route.abort();
    });
  });
  afterEach(() => page.context().close());

  test.each(KINDS)('%s: is readable in every view, and nothing is loaded', async (name) => {
    expect(await look(name, letters[name]?.html ?? '')).toEqual([]);
    expect(asked).toEqual([]);
    expect(await page.locator('img, picture, video, iframe, script, link').count()).toBe(0);
  });

  test('a program that drops the style sheet shows the light mail whole', async () => {
    const bare = (letters['owner-three-apps']?.html ?? '').replace(/<style>[\s\S]*?<\/style>/, '');
    expect(await look('without-style', bare)).toEqual([]);
    const width = await page.evaluate("document.querySelector('table table').offsetWidth");
    expect(width).toBeGreaterThanOrEqual(360);
    expect(width).toBeLessThanOrEqual(600);
  });
});
