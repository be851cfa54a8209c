import { createBridgeApp } from '../../src/http/app.ts';
import { ACCOUNT_TABS, accountSortsOf } from '../../src/domain/support/account-list.ts';
import { DESK_TABLES, DESKS, type StackedDesk } from '../../src/domain/support/desks.ts';
import { TOKEN_TAB_NAMES, tokenSortsOf } from '../../src/domain/tokens/token-list.ts';
import { routesOf } from '../roles/support/routes.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** The benchmark of a large installation opens every page of owners and of support, in every tab and order. */

const ID = '0123456789abcdef01234567';
const IDS = {
  appHook: ID,
  supportHook: ID,
  apiKey: ID,
  secret: ID,
  link: ID,
  mail: ID,
  unproven: ID,
  nobodys: ID,
  entry: '1',
};

/** What no time limit of a page is for, and why. */
const NOT_MEASURED: Readonly<Record<string, string>> = {
  '/apps/:clientId/live/events': 'a stream, which lasts as long as somebody looks on',
  '/apps/account/signed-out': 'of one who is signed out, without a row of a database',
  '/apps/:clientId/handovers/:entryId/take-back':
    'the same use case and template as /support/history/:entryId/take-back',
};

interface BenchmarkPages {
  pagesOf: (ids: Record<string, string>) => Array<{ path: string }>;
}

let system: System;
let paths: ReadonlySet<string>;

beforeAll(async () => {
  const benchmark = '../../scripts/bench/pages/pages.mjs';
  const { pagesOf } = (await import(benchmark)) as BenchmarkPages;
  paths = new Set(pagesOf(IDS).map(({ path }) => path));
  system = await startSystem();
});
afterAll(() => system.stop());

const patternOf = (route: string) => new RegExp(`^${route.replaceAll(/:\w+/g, '[^/]+')}$`);
const bare = (path: string) => path.split('?', 1)[0] ?? '';

/** The routes of which a path is: one with fixed words before one with names. */
function routeOf(path: string, routes: readonly string[]): string | undefined {
  return routes.includes(path) ? path : routes.find((route) => patternOf(route).test(path));
}

function pageRoutes(): string[] {
  const { context } = system.bridge;
  const { app } = createBridgeApp({ context, rateLimitPerMinute: 0, trustProxy: [], logRequests: 'off' });
  return routesOf(app).flatMap((route) => /^GET (\/(?:apps|support)(?:\/.*)?)$/.exec(route)?.[1] ?? []);
}

test('every page of owners and of support is opened', () => {
  const routes = pageRoutes();
  const opened = new Set([...paths].map((path) => routeOf(bare(path), routes)));
  expect(routes.length).toBeGreaterThan(40);
  expect(routes.filter((route) => !opened.has(route) && NOT_MEASURED[route] === undefined)).toEqual([]);
  expect(Object.keys(NOT_MEASURED).filter((route) => !routes.includes(route) || opened.has(route))).toEqual(
    [],
  );
});

test('every page that is opened is one of them', () => {
  const routes = pageRoutes();
  expect([...paths].filter((path) => routeOf(bare(path), routes) === undefined)).toEqual([]);
});

/** Addresses of a list in each of its tabs and orders; what is first is left out of an address. */
function listed<Tab extends string>(
  path: string,
  tabs: readonly Tab[],
  sortsOf: (tab: Tab) => readonly string[],
) {
  return tabs.flatMap((tab) =>
    sortsOf(tab).map((sort, place) => {
      const asked = { ...(tab !== tabs[0] && { show: tab }), ...(place > 0 && { sort }) };
      const query = new URLSearchParams(asked).toString();
      return query === '' ? path : `${path}?${query}`;
    }),
  );
}

test.each(DESKS.filter((desk): desk is StackedDesk => desk !== 'died-today'))(
  'the desk %s is opened in every tab and order',
  (desk) => {
    const { tabs, sorts } = DESK_TABLES[desk];
    const wanted = listed(`/support/desks/${desk}`, tabs, () => sorts);
    expect(wanted.filter((path) => !paths.has(path))).toEqual([]);
  },
);

test('the list of accounts is opened in every tab and order', () => {
  const wanted = listed('/support/accounts', ACCOUNT_TABS, accountSortsOf);
  expect(wanted.filter((path) => !paths.has(path))).toEqual([]);
});

test('the tokens of an app are opened in every tab and order, by owners and by support', () => {
  const ofApps = [...paths].flatMap(
    (path) => /^\/(?:support\/apps\/\w+|apps\/\w+\/tokens)$/.exec(path)?.[0] ?? [],
  );
  const missing = ofApps
    .filter((path) => paths.has(`${path}?show=stopped`) && paths.has(`${path}?show=waiting`))
    .map((path) => listed(path, TOKEN_TAB_NAMES, tokenSortsOf).filter((one) => !paths.has(one)));
  expect(missing.length).toBeGreaterThanOrEqual(4);
  expect(missing.flat()).toEqual([]);
});
