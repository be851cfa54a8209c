import { keepProgress } from '../../src/domain/progress/keep-progress.ts';
import { ENDS } from '../../src/domain/tokens/standing/ends.ts';
import { byCarrier, byKind } from '../../src/http/charts/call-charts.ts';
import { CALL_COLOURS, CARRIER_COLOURS, END_COLOURS, STATE_COLOURS } from '../../src/http/wording/colours.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { browserOf, DANA, waitingToken } from '../owners/support/people.ts';
import { keepGrant } from '../staff/support/grants.ts';
import { staffBrowser } from '../staff/support/staff-browser.ts';
import type { CookieWalker } from '../support/callers/cookie-walker.ts';
import { type RegisteredApp, registerLegacyApp } from '../support/bridge/register-app.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import type { MappingState } from '../../src/store/tables/tables.ts';

/** What has moved, is connected or waits has one colour, one texture and one place in the order, on every page. */

const STATES: readonly MappingState[] = [
  'unmapped',
  'active',
  'reauthorization_required',
  'revoked',
  'migrated',
];

const clock = new SettableClock(Date.parse('2026-11-22T10:00:00Z'));
const ids = new Map<MappingState, string>();
let system: System;
let dana: CookieWalker;
let staff: CookieWalker;
let app: RegisteredApp;

async function addTokens(state: MappingState): Promise<void> {
  const { id } = await waitingToken(system, { app, accountId: DANA.accountId, state });
  ids.set(state, id);
}

beforeAll(async () => {
  system = await startSystem({ clock });
  [dana, staff] = [await browserOf(system), await staffBrowser(system, 'lead')];
  app = await registerLegacyApp(system.bridge, 'https://own.example/cb', DANA.accountId);
  for (const state of STATES) await addTokens(state);
  await keepProgress(system.bridge.context);
  clock.advance(DAY);
  await addTokens('active');
  await keepProgress(system.bridge.context);
  [dana, staff] = [await browserOf(system), await staffBrowser(system, 'lead')];
});
afterAll(() => system.stop());

/** What the pages call each state. */
const NAMES: Readonly<Record<string, string>> = {
  'moved to the new api': 'moved',
  moved: 'moved',
  connected: 'connected',
  waiting: 'waiting',
  // charts count waiting and stopped tokens together
  'not connected': 'waiting',
  revoked: 'revoked',
};

const named = (text: string) =>
  NAMES[
    text
      .trim()
      .toLowerCase()
      .replace(/^[\d,]+ tokens? /, '')
  ];

interface Shown {
  state: string;
  colour: string;
}

/** The badges of a page that name a state. */
function badgesOf(body: string): Shown[] {
  return [...body.matchAll(/<span class="badge ([^"]*)">([^<]*)<\/span>/g)].flatMap(
    ([, colour = '', text = '']) => {
      const state = named(text);
      return state === undefined ? [] : [{ state, colour: colour.trim() }];
    },
  );
}

/** The legends of a page that name states, each in its order. */
function legendsOf(body: string): Shown[][] {
  const lists = [...body.matchAll(/<ul class="chart-legend">(.*?)<\/ul>/gs)].map(([, items = '']) =>
    [...items.matchAll(/<li><svg[^>]*>(.*?)<\/svg>([^<]*)<\/li>/gs)].flatMap(
      ([, drawing = '', text = '']) => {
        const state = named(text);
        const colour = /class="chart-(?:bar|line) chart-(\w+)"/.exec(drawing)?.[1] ?? '';
        return state === undefined ? [] : [{ state, colour }];
      },
    ),
  );
  return lists.filter((list) => list.length > 0);
}

const pagesOfOwner = () => [
  '/apps',
  '/apps/progress',
  `/apps/${app.clientId}`,
  `/apps/${app.clientId}/tokens`,
];

const pagesOfStaff = () => [
  '/support/numbers',
  `/support/apps/${app.clientId}`,
  `/support/accounts/${DANA.accountId}`,
  ...STATES.map((state) => `/support/mappings/${ids.get(state) ?? newHexId()}`),
];

async function read(browser: CookieWalker, path: string) {
  const { status, body } = await browser.get(`${system.bridgeUrl}${path}`);
  expect(status).toBe(200);
  return { path, body };
}

const readAll = async () => [
  ...(await Promise.all(pagesOfOwner().map((path) => read(dana, path)))),
  ...(await Promise.all(pagesOfStaff().map((path) => read(staff, path)))),
];

test('each state has the same colour in every legend and badge', async () => {
  const seen = new Map<string, Set<string>>();
  for (const { body } of await readAll())
    for (const { state, colour } of [...badgesOf(body), ...legendsOf(body).flat()])
      seen.set(state, (seen.get(state) ?? new Set()).add(colour));
  expect(Object.fromEntries([...seen].map(([state, colours]) => [state, [...colours]]))).toEqual({
    moved: ['accent'],
    connected: ['ok'],
    waiting: ['warning'],
    revoked: ['muted'],
  });
});

test('the legends name the states in one order, on the page of the owner and on that of support', async () => {
  const pages = [await read(dana, '/apps/progress'), await read(staff, '/support/numbers')];
  for (const { body } of pages) {
    const legends = legendsOf(body);
    expect(legends.length).toBeGreaterThan(0);
    for (const legend of legends)
      expect(legend.map(({ state }) => state)).toEqual(['moved', 'connected', 'waiting']);
  }
});

test('of the connections that ended, those that moved and those that were connected anew have these colours too', async () => {
  for (const dead_cause of ['handed_over', 'replaced'] as const)
    await keepGrant(system, { state: 'dead', dead_cause, dead_at: clock.now() });
  const { body } = await read(staff, '/support/numbers');
  const colourOf = ({ label }: { label: string }) =>
    new RegExp(`chart-bar chart-(\\w+)"[^<]*/>(?:<path[^>]*>)?</svg>${label}<`).exec(body)?.[1];
  expect([colourOf(ENDS.handed_over), colourOf(ENDS.replaced)]).toEqual([
    STATE_COLOURS.migrated,
    STATE_COLOURS.active,
  ]);
});

test('a colour is the same value in a chart and in a badge', async () => {
  const sheet = await (await fetch(`${system.bridgeUrl}/assets/style.css`)).text();
  const valueOf = (selector: string) =>
    new RegExp(`^\\.${selector} \\{\\s*color: var\\((--[\\w-]+)\\);`, 'm').exec(sheet)?.[1];
  for (const colour of ['accent', 'ok', 'warning']) {
    expect(valueOf(`chart-${colour}`)).toBeDefined();
    expect(valueOf(`badge\\.${colour}`)).toBe(valueOf(`chart-${colour}`));
  }
});

function call(endpoint: string, calls: number, carrier = 'header') {
  return { day: '2026-11-22', endpoint, carrier, calls, refused: 0 };
}

test('a kind of call has one colour, however many other calls there are and whatever the address ends with', () => {
  const days = ['2026-11-22'];
  const few = byKind(days, [call('/1/profiles.json', 1), call('/nowhere', 9)]);
  const many = byKind(days, [
    call('/1/user.json', 90),
    call('/1/profiles', 80),
    call('/1/profiles/:id', 5),
    call('/1/updates/create.json', 70),
    call('/1/profiles/:id/updates/pending.json', 60),
  ]);
  const shown = (series: typeof few) => series.map(({ label, kind, values }) => [label, kind, ...values]);
  expect(shown(few)).toEqual([
    ['Profiles', 'third', 1],
    ['All others', 'muted', 9],
  ]);
  expect(shown(many)).toEqual([
    ['Account', 'second', 90],
    ['Profiles', 'third', 85],
    ['Posts: read', 'fourth', 60],
    ['Posts: write', 'fifth', 70],
  ]);
  const carried = byCarrier(days, [
    call('/1/user', 1, 'query'),
    call('/1/user', 8),
    call('/1/user', 2, 'none'),
  ]);
  expect(shown(carried)).toEqual([
    ['in the header', 'third', 8],
    ['in the address', 'fifth', 1],
    ['in another place', 'muted', 2],
  ]);
});

test('within a chart no two things share a colour', () => {
  for (const colours of [END_COLOURS, CALL_COLOURS, Object.fromEntries(CARRIER_COLOURS)]) {
    const all = Object.values(colours);
    expect(new Set(all).size).toBe(all.length);
  }
});
