import { createBridgeApp } from '../../src/http/app.ts';
import type { Page } from '../support/callers/cookie-walker.ts';
import { holdJobs } from '../support/bridge/hold-jobs.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { FORMS } from './support/forms.ts';
import { ROLES, type Role, type Visitor, visitorOf } from './support/people.ts';
import { cellOf, ROWS, WITHOUT_ROLE } from './support/role-table.ts';
import { routesOf } from './support/routes.ts';
import { rowsOf } from './support/rows.ts';
import { leaveScene, makeScene, OWN_CLIENT, pathIn, type Scene } from './support/scene.ts';
import { untoldTo } from './support/untold.ts';

/** Every page and action × every role. */

let system: System;
let common: Scene;
let release: () => void;
let visitors: Record<Role, Visitor>;

/** They write of themselves, and would send what the scene leaves to people. */
const WEBHOOK_JOBS = ['send-webhooks', 'read-history-for-webhooks', 'tell-webhooks-by-time'];

const DAY = 24 * 60 * 60 * 1000;

beforeAll(async () => {
  const retirement = new Date(Date.now() + 30 * DAY).toISOString();
  // Without an old API there is no retirement to rehearse.
  const old = { LEGACY_BACKEND_URL: 'http://127.0.0.1:9', LEGACY_RETIREMENT_AT: retirement };
  const env = { ...old, REMINDER_CRON: '0 0 1 1 *', WEBHOOK_ALLOW_NETWORKS: '127.0.0.1/32' };
  system = await startSystem({ env, ownClients: [OWN_CLIENT] });
  const people = await Promise.all(ROLES.map((role) => visitorOf(system, role)));
  release = await holdJobs(system.bridge.context, WEBHOOK_JOBS);
  common = await makeScene(system);
  visitors = Object.fromEntries(people.map((visitor) => [visitor.role, visitor])) as typeof visitors;
});

afterAll(async () => {
  release();
  await system.stop();
});

function addressOf(route: string, scene: Scene): { method: string; path: string } {
  const [method = '', pattern = ''] = route.split(' ');
  return { method, path: pathIn(scene, pattern) };
}

/** `done` and `made` have changed something; `led` and a status have not. */
function outcomeOf({ status, location }: Page, hasChanged = false): string {
  if (location === undefined) return status === 200 && hasChanged ? 'made' : String(status);
  if (location.startsWith('/sign-in')) return 'sign-in';
  if (!location.startsWith('/')) return 'leaves';
  return hasChanged ? 'done' : 'led';
}

/** Whoever sends it needs a new session for what comes after. */
const SIGNS_OUT = /\/sign-out|:\w+\/switch$/;

/** What a form meets, and what it changed; the rows afterwards. */
async function send(route: string, { scene, rows }: { scene: Scene; rows: Rows }, role: Role) {
  const visitor = visitors[role];
  const fields = FORMS[route]?.({ system, scene, visitor }) ?? {};
  const { method, path } = addressOf(route, scene);
  const answer = await visitor.send(method, path, { ...fields, _form: visitor.formToken });
  const after = await rowsOf(system);
  const changed = Object.keys(after).filter((table) => after[table] !== rows[table]);
  if (SIGNS_OUT.test(route)) visitors[role] = await visitorOf(system, role);
  return { met: outcomeOf(answer, changed.length > 0), changed };
}

type Rows = Awaited<ReturnType<typeof rowsOf>>;

async function anew(scene: Scene): Promise<Scene> {
  await leaveScene(system, scene);
  return makeScene(system);
}

const REFUSED = /^4|^5/;

/** As it stands in the table, so that a difference is read in one line. */
const lineOf = (cellFor: (role: Role) => string | undefined) =>
  ROLES.map((role) => `${role}: ${cellFor(role)}`).join(', ');

describe('the table', () => {
  test('has a row for every route, and no row without one', () => {
    const { context } = system.bridge;
    const routes = routesOf(
      createBridgeApp({ context, rateLimitPerMinute: 0, trustProxy: [], logRequests: 'off' }).app,
    );
    const withRole = routes.filter((route) => !WITHOUT_ROLE.test(route));
    expect(ROWS.map(({ route }) => route).toSorted()).toEqual(withRole.toSorted());
  });

  test('has no empty cell', () => {
    const short = ROWS.filter(({ cells }) => cells.length !== ROLES.length);
    expect(short).toEqual([]);
  });

  test('names no form that has no row', () => {
    const routes = new Set(ROWS.map(({ route }) => route));
    expect(Object.keys(FORMS).filter((route) => !routes.has(route))).toEqual([]);
  });
});

const pages = ROWS.filter(({ route }) => route.startsWith('GET'));

test.each(pages)('$route', async (row) => {
  const { method, path } = addressOf(row.route, common);
  const seen = await Promise.all(ROLES.map((role) => visitors[role].send(method, path)));
  const at = (role: Role) => seen[ROLES.indexOf(role)] as Page;
  expect(lineOf((role) => outcomeOf(at(role)))).toBe(lineOf((role) => cellOf(row, role)));
  const told = ROLES.flatMap((role) =>
    untoldTo(role, path, common)
      .filter((text) => at(role).body.includes(text))
      .map((text) => `${role} reads ${text}`),
  );
  expect(told).toEqual([]);
});

const actions = ROWS.filter(({ route }) => !route.startsWith('GET'));

test.each(actions)('$route', async (row) => {
  const met: Record<string, string> = {};
  const wrong: string[] = [];
  let scene = await makeScene(system);
  let rows = await rowsOf(system);
  for (const role of ROLES) {
    const sent = await send(row.route, { scene, rows }, role);
    met[role] = sent.met;
    if (sent.changed.length === 0) continue;
    if (REFUSED.test(sent.met)) wrong.push(`${role} is refused and changed ${sent.changed.join()}`);
    scene = await anew(scene);
    rows = await rowsOf(system);
  }
  await leaveScene(system, scene);
  expect(lineOf((role) => met[role])).toBe(lineOf((role) => cellOf(row, role)));
  expect(wrong).toEqual([]);
});

test.each(actions)('$route, without the proof of the own session', async ({ route }) => {
  const { method, path } = addressOf(route, common);
  const before = await rowsOf(system);
  const sent = ROLES.flatMap((role) => {
    const fields = FORMS[route]?.({ system, scene: common, visitor: visitors[role] }) ?? {};
    const other = visitors[role === 'lead' ? 'agent' : 'lead'].formToken;
    return [fields, { ...fields, _form: other }].map((body) => visitors[role].send(method, path, body));
  });
  expect([...new Set((await Promise.all(sent)).map(({ status }) => status))]).toEqual([403]);
  expect(await rowsOf(system)).toEqual(before);
});
