import { addSecret, secretsOf } from '../../src/domain/apps/app-secrets.ts';
import { startRehearsal } from '../../src/domain/lifecycle/changes/rehearse.ts';
import { timelineLine } from '../../src/http/support/timeline/timeline-words.ts';
import { reauthorizationLink } from '../../src/domain/authorization/reauthorize.ts';
import { browserOf, DANA, SAM, waitingToken } from '../owners/support/people.ts';
import { CookieWalker } from '../support/callers/cookie-walker.ts';
import { until } from '../support/servers/held-answer.ts';
import { registerLegacyApp, type RegisteredApp } from '../support/bridge/register-app.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** Every moment on a page is an element that the script of the page shows in the zone of its reader, whatever has passed. */

const DAY = 86_400_000;
let system: System;
let dana: CookieWalker;
let sam: CookieWalker;
let app: RegisteredApp;
let link: string;
let secretId: string;

beforeAll(async () => {
  // Nobody asks it; while it is there, the retirement is a date to connect before.
  system = await startSystem({ env: { LEGACY_BACKEND_URL: 'http://127.0.0.1:9' } });
  [dana, sam] = [await browserOf(system), await browserOf(system, SAM)];
  const { context } = system.bridge;
  app = await registerLegacyApp(system.bridge, 'https://timed.example/cb', DANA.accountId);
  const { clientId } = app;
  await waitingToken(system, { app, accountId: SAM.accountId });
  link = await reauthorizationLink(context, { clientId, accountId: SAM.accountId });
  await addSecret(context, { clientId, actor: 'test', requestId: null });
  secretId = (await secretsOf(context, clientId))[0]?.id ?? '';
  const now = context.clock.now();
  const granted = { granted_by: 'test', granted_at: now };
  await context.store.durable
    .insertInto('brownout_exemptions')
    .values({ id: 'x', client_id: clientId, until: now + DAY, reason: 'It prints wages.', ...granted })
    .execute();
  const planned = { starts_at: now + 3 * DAY, ends_at: now + 3 * DAY + 60_000, planned_at: now };
  await context.store.durable
    .insertInto('brownouts')
    .values({ id: 'b', rehearses: 'sunset', text: 'A test.', planned_by: 'test', ...planned })
    .execute();
  await context.store.durable
    .insertInto('modern_clients')
    .values({ id: 'planner', client_id: clientId, secret_sealed: null, scopes: '', proven_at: now })
    .execute();
  await context.store.durable
    .updateTable('apps')
    .set({ modern_client_id: 'planner' })
    .where('client_id', '=', clientId)
    .execute();
});
afterAll(() => system.stop());

const WAYS: Array<[says: string, days: { retirement: number; sunset: number; more: number }]> = [
  ['before both dates', { retirement: 40, sunset: 90, more: 50 }],
  ['after the retirement', { retirement: -3, sunset: 20, more: -2 }],
  ['after the sunset', { retirement: -30, sunset: -3, more: -20 }],
];

async function set({ retirement, sunset, more }: (typeof WAYS)[number][1]): Promise<void> {
  const { store, clock, lifecycle } = system.bridge.context;
  const now = clock.now();
  for (const table of ['lifecycle_dates', 'extensions'] as const)
    await store.durable.deleteFrom(table).execute();
  const inDays = (days: number) => now + days * DAY;
  await store.durable
    .insertInto('lifecycle_dates')
    .values([
      { name: 'retirement', at: inDays(retirement), changed_at: now, changed_by: 'test' },
      { name: 'sunset', at: inDays(sunset), changed_at: now, changed_by: 'test' },
    ])
    .execute();
  const given = { reason: 'A bank needs it.', granted_by: 'test', granted_at: now };
  await store.durable
    .insertInto('extensions')
    .values({ id: `e${more}`, client_id: app.clientId, name: 'retirement', until: inDays(more), ...given })
    .execute();
  await until(async () => {
    await lifecycle.refresh();
    return lifecycle.current().dates.sunset === inDays(sunset);
  });
}

/** Two that are over: the last one is the result, the other stands in a list. */
async function rehearsed(): Promise<void> {
  const { store, clock } = system.bridge.context;
  const rows = [1, 2].map((hours) => {
    const starts_at = clock.now() - hours * 3_600_000;
    const planned = { text: 'Mine.', planned_by: 'test', planned_at: starts_at };
    const what = { id: `r${hours}`, client_id: app.clientId, rehearses: 'sunset' as const };
    return { ...what, ...planned, starts_at, ends_at: starts_at + 60_000 };
  });
  await store.durable.insertInto('brownouts').values(rows).execute();
}

/** Days that are left: the script counts them in the zone in which it shows the date beside them. */
const DAYS_LEFT =
  /<time class="days" data-form="(?:in|left)" datetime="[^"]+Z" data-now="[^"]+Z"(?: data-soon="30")?>[^<]+<\/time>/g;

/** The text of the main part without the elements of times; and how many of them there are. */
function withoutTimes(body: string): { rest: string; times: number } {
  const main = /<main[^>]*>([\s\S]*)<\/main>/.exec(body)?.[1] ?? '';
  const times = main.match(/<time class="local( seconds)?" datetime="[^"]+Z">[^<]+ UTC<\/time>/g) ?? [];
  const rest = times.reduce((text, time) => text.replace(time, ''), main).replace(DAYS_LEFT, '');
  return { rest: rest.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' '), times: times.length };
}

async function expectTimed(browser: CookieWalker, path: string): Promise<number> {
  const page = await browser.get(path.startsWith('http') ? path : `${system.bridgeUrl}${path}`);
  expect([path, page.status]).toEqual([path, 200]);
  const { rest, times } = withoutTimes(page.body);
  expect(rest).not.toMatch(/UTC|\b\d\d:\d\d\b|\b\d{4}-\d\d-\d\d|\b\d+ [A-Z][a-z]{2,} 20\d\d|&lt;time/);
  expect(rest).not.toMatch(/\bin (?!30 )\d+ days\b|\bdays? left\b|\[object /);
  if (times > 0) {
    expect(page.body).toMatch(/<script src="\/assets\/local-times\.js\?v=[^"]+" defer>/);
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
  }
  return times;
}

test.each(WAYS)('%s', async (_says, days) => {
  await set(days);
  const [own, nobody] = [`/apps/${app.clientId}`, new CookieWalker()];
  const counts: Record<string, number> = {};
  for (const [name, browser, path] of [
    ['home of the owner', dana, '/apps'],
    ['home of the holder', sam, '/apps'],
    ['app, its owner', dana, own],
    ['app, its holder', sam, own],
    ['app, nobody', nobody, own],
    ['link, its holder', sam, link],
    ['link, nobody', nobody, link],
    ['secrets', dana, `${own}/secrets`],
    ['secret', dana, `${own}/secrets/${secretId}/retire`],
    ['client', dana, `${own}/modern-client`],
    ['rehearsal', dana, `${own}/rehearse`],
    ['calls', dana, `${own}/calls`],
    ['move', dana, `${own}/move`],
    ['progress', dana, '/apps/progress'],
    ['dates', nobody, '/lifecycle'],
  ] as const)
    counts[name] = await expectTimed(browser, path);
  expect(counts).toMatchObject({
    // One of them is the next date, in the head of the app.
    secrets: 3,
    secret: 2,
    client: 2,
    dates: 5,
    'app, nobody': days.retirement > 0 || days.sunset < 0 ? 1 : 2,
  });
});

test('a running rehearsal and its result tell their times so', async () => {
  await set({ retirement: 40, sunset: 90, more: 50 });
  await rehearsed();
  const path = `/apps/${app.clientId}/rehearse`;
  const body = async () => (await dana.get(`${system.bridgeUrl}${path}`)).body;
  await expectTimed(dana, path);
  expect(await body()).toMatch(
    /Rehearsal of the sunset on <time[^]*<strong>Sunset<\/strong>, <time[^]*<li><time/,
  );
  const { context } = system.bridge;
  const asked = { clientId: app.clientId, actor: 'test', requestId: null };
  await startRehearsal(context, { ...asked, rehearses: 'sunset' });
  await expectTimed(dana, path);
  expect(await body()).toMatch(/It ends by itself at <time class="local seconds"[^]*<li><time/);
});

test('a page that shows no moment and is nobody’s own loads no script', async () => {
  for (const path of ['/', '/nowhere', '/sign-in?return_to=x']) {
    const { body } = await new CookieWalker().get(`${system.bridgeUrl}${path}`);
    expect(body).not.toContain('<script');
  }
});

test.each([
  ['until 2027-01-02T03:04:05Z, for a bank', ['until ', Date.parse('2027-01-02T03:04:05Z'), ', for a bank']],
  ['typed: 2027-99-02T03:04:05Z', ['typed: ', '2027-99-02T03:04:05Z']],
  ['no time', ['no time']],
])('a reason of the history tells its times so: %s', (reason, why) => {
  const event = { at: 1, action: 'extended', reason, actor: 'bridge', request_id: null };
  const line = timelineLine(event as Parameters<typeof timelineLine>[0], {
    names: new Map(),
    holderId: undefined,
  });
  expect(line.why?.filter((part) => part !== '')).toEqual(why);
});
