import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { testMode } from '../support/jest/test-mode.ts';

/** A width and a scheme in which a page must hold. */
export interface View {
  width: number;
  colorScheme: 'light' | 'dark';
}

const VIEWS: readonly View[] = [
  { width: 360, colorScheme: 'light' },
  { width: 360, colorScheme: 'dark' },
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
];

/** Each width and each scheme once, without pictures, which nobody looks at there. */
const VIEWS_IN_CI: readonly View[] = [
  { width: 360, colorScheme: 'dark' },
  { width: 1280, colorScheme: 'light' },
];

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

const folder = resolve(import.meta.dirname, '../../var/screenshots');

const { resolve: pathOf } = createRequire(createRequire(import.meta.url).resolve('@axe-core/playwright'));

/** As that package would run it, but once in a page and without what it tells beside violations: a third of the time. */
const AXE = readFileSync(pathOf('axe-core/axe.min.js'), 'utf8');

const LINES = 'violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)';

async function violationsOn(
  page: Page,
  runOnly: { type: 'rule' | 'tag'; values: string[] },
): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'] });
  return page.evaluate(`axe.run(document, ${options}).then(({ violations }) => ${LINES})`);
}

/** What axe finds on the open page as it is, and whether it fits: everything, or what the dark scheme can change. */
export async function findingsOf(page: Page, isDark: boolean): Promise<string[]> {
  const [contrast, all] = [
    { type: 'rule' as const, values: ['color-contrast'] },
    { type: 'tag' as const, values: RULES },
  ];
  const found = await violationsOn(page, isDark ? contrast : all);
  const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
  return isTooWide ? [...found, 'the page is wider than its window'] : found;
}

/**
 * Looks at the open page in every view: what axe finds and what does not fit, one line each, none when all is well. A
 * picture of each view is kept below var/screenshots, but in CI.
 */
export async function inspect(
  page: Page,
  name: string,
  views = testMode.isBrief ? VIEWS_IN_CI : VIEWS,
): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  // A click that leads to another page ends before that page has its style sheet.
  await page.waitForLoadState('load');
  const found: string[] = [];
  for (const { width, colorScheme } of views) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    const view = `${name}-${width}-${colorScheme}`;
    if (!testMode.isBrief) await page.screenshot({ path: join(folder, `${view}.png`), fullPage: true });
    for (const line of await findingsOf(page, colorScheme === 'dark')) found.push(`${view}: ${line}`);
  }
  return found;
}
