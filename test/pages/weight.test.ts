import { DAY } from '../../src/shared/lifetimes.ts';
import { fillScene } from '../roles/support/busy-scene.ts';
import { ROLES, type Role, type Visitor, visitorOf } from '../roles/support/people.ts';
import { cellOf, ROWS } from '../roles/support/role-table.ts';
import { makeScene, pathIn, type Scene } from '../roles/support/scene.ts';
import type { Page } from '../support/callers/cookie-walker.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** What every page weighs and how long it takes, with a month of calls; and what its head and elements must not hold. */

const HEAVIEST = 100_000;
const SLOWEST = 100;
/** The fastest counts, so that what else runs on the machine does not decide; on a crowded one that takes many. */
const TRIES = 60;

let system: System;
let scene: Scene;
let visitors: Record<Role, Visitor>;

beforeAll(async () => {
  const retirement = new Date(Date.now() + 30 * DAY).toISOString();
  system = await startSystem({ env: { LEGACY_RETIREMENT_AT: retirement, REMINDER_CRON: '0 0 1 1 *' } });
  const people = await Promise.all(ROLES.map((role) => visitorOf(system, role)));
  visitors = Object.fromEntries(people.map((visitor) => [visitor.role, visitor])) as typeof visitors;
  scene = await makeScene(system);
  await fillScene(system, scene);
});

afterAll(() => system.stop());

const isHtml = ({ headers }: Page) => headers.get('content-type')?.startsWith('text/html') === true;

/** Whoever sees most of a page: staff and owners stand last among those who see it. */
const PREFERRED: readonly Role[] = ['owner', 'lead', 'holder', 'stranger', 'nobody'];

const pages = ROWS.flatMap((row) => {
  const [method, path = ''] = row.route.split(' ');
  const role = PREFERRED.find((one) => cellOf(row, one) === '200');
  const isPage = method === 'GET' && !/^\/assets|\/events$|\.(json|csv|ico)$/.test(path);
  return isPage && role ? [{ path, role }] : [];
});

const attribute = (tag: string, name: string) => new RegExp(`\\s${name}="([^"]*)"`, 'i').exec(tag)?.[1];

/** What a browser loads for a page besides. */
function assetsOf(html: string): string[] {
  const tags = html.match(/<(?:link|script|img|source|iframe|use|image)\b[^>]*>/gi) ?? [];
  return tags.flatMap((tag) => attribute(tag, 'src') ?? attribute(tag, 'href') ?? []);
}

const weights = new Map<string, number>();

async function weightOf(address: string): Promise<number> {
  const known = weights.get(address);
  if (known !== undefined) return known;
  const { status, body } = await visitors.nobody.send('GET', address);
  expect([address, status]).toEqual([address, 200]);
  weights.set(address, Buffer.byteLength(body));
  return Buffer.byteLength(body);
}

async function fastest(visitor: Visitor, path: string): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let tried = 0; tried < TRIES && best >= SLOWEST; tried++) {
    const before = performance.now();
    await visitor.send('GET', path);
    best = Math.min(best, performance.now() - before);
  }
  return best;
}

const HEADERS = {
  'cache-control': 'no-store',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

function expectStrict({ headers }: Page): void {
  const told = Object.fromEntries(Object.keys(HEADERS).map((name) => [name, headers.get(name)]));
  expect(told).toEqual(HEADERS);
  const policy = headers.get('content-security-policy') ?? '';
  for (const rule of ["default-src 'none'", "style-src 'self'", "base-uri 'none'", "frame-ancestors 'none'"])
    expect(policy.split('; ')).toContain(rule);
  expect(policy).not.toMatch(/unsafe|data:|blob:|\*/);
  expect(policy).not.toMatch(/(?:script|style|connect|img|font)-src[^;]*http/);
}

/** What stands in the page and a strict policy would refuse. */
function inlineParts(html: string): string[] {
  const tags = html.match(/<[a-z][^>]*>/gi) ?? [];
  return tags.filter(
    (tag) =>
      /^<style/i.test(tag) ||
      (/^<script/i.test(tag) && !/\ssrc=/i.test(tag)) ||
      /\s(style|on\w+)\s*=\s*"/i.test(tag),
  );
}

test('there are pages to weigh', () => {
  expect(pages.length).toBeGreaterThan(15);
});

test.each(pages)('$path, as $role', async ({ path, role }) => {
  const address = pathIn(scene, path);
  const page = await visitors[role].send('GET', address);
  expect(page.status).toBe(200);
  expect(isHtml(page)).toBe(true);
  expectStrict(page);
  expect(page.body.match(/<h1\b/g)).toHaveLength(1);
  expect(inlineParts(page.body)).toEqual([]);
  const assets = [...new Set(assetsOf(page.body))];
  expect(assets.filter((asset) => !/^\/assets\/[\w.-]+(\?v=[\w-]+)?$/.test(asset))).toEqual([]);
  const weighed = await Promise.all(assets.map(weightOf));
  expect(weighed.reduce((sum, one) => sum + one, Buffer.byteLength(page.body))).toBeLessThan(HEAVIEST);
  expect(await fastest(visitors[role], address)).toBeLessThan(SLOWEST);
});

/** What pages load is kept by browsers for good, and is never an old version. */
const cacheOf = async (address: string) => {
  const answer = await fetch(`${system.bridgeUrl}${address}`);
  return [answer.status, answer.headers.get('cache-control')];
};

const KEPT = 'public, max-age=31536000, immutable';

test('every page names the style sheet by its content, and that is kept for good', async () => {
  const page = await (await fetch(`${system.bridgeUrl}/`)).text();
  const address = /href="(\/assets\/style\.css\?v=[\w-]+)"/.exec(page)?.[1] ?? '';
  expect(await cacheOf(address)).toEqual([200, KEPT]);
});

test('an address without a version, or with that of another content, is asked for anew soon', async () => {
  for (const address of [
    '/assets/style.css',
    '/assets/style.css?v=another',
    '/assets/htmx.js',
    '/assets/live.js',
  ])
    expect(await cacheOf(address)).toEqual([200, 'public, max-age=60']);
});
