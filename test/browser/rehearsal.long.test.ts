import type { Browser, Page } from 'playwright-core';
import { issueToken } from '../support/callers/legacy-calls.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { registerLegacyApp, type RegisteredApp } from '../support/bridge/register-app.ts';
import { reauthorizationLink } from '../../src/domain/authorization/reauthorize.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { DANA, waitingToken } from '../owners/support/people.ts';
import { browserMissing, newVisitor, openChromium, type Visitor } from './chromium.ts';
import { inspect } from './inspect.ts';
import { follow, press, seeHeading, signIn } from './steps.ts';

/** The dates and the rehearsal in a real browser: without script, in every width and scheme, with nothing for axe to find. */

const DAY = 86_400_000;
const MINUTE = 60_000;
const NAME = 'Night planner';
const clock = new SettableClock();

let system: System;
let browser: Browser;
let visitor: Visitor;
let page: Page;
let app: RegisteredApp;

async function look(heading: string, name: string): Promise<void> {
  await seeHeading(page, heading);
  expect(await inspect(page, `rehearsal-${name}`)).toEqual([]);
}

async function setDates(dates: Record<string, number>): Promise<void> {
  const { store, lifecycle } = system.bridge.context;
  await store.durable.deleteFrom('lifecycle_dates').execute();
  for (const [name, at] of Object.entries(dates))
    await store.durable
      .insertInto('lifecycle_dates')
      .values({ name: name as 'sunset', at, changed_at: clock.now(), changed_by: 'test' })
      .execute();
  await lifecycle.refresh();
}

/** Brownouts of all, more time for the app, and its exemption. */
async function addAllElse(): Promise<void> {
  const { store, lifecycle } = system.bridge.context;
  const now = clock.now();
  const by = { granted_by: 'test', granted_at: now };
  const reason = 'The bank that prints with it needs six weeks to approve a new version.';
  const asked = { id: 'e1', client_id: app.clientId, name: 'retirement' as const, reason, ...by };
  await store.durable
    .insertInto('extensions')
    .values({ ...asked, until: now + 60 * DAY })
    .execute();
  await store.durable
    .insertInto('brownout_exemptions')
    .values({
      id: 'x1',
      client_id: app.clientId,
      until: now + 6 * DAY,
      reason: 'Wages are paid this week.',
      ...by,
    })
    .execute();
  for (const day of [5, 7, 9, 11, 13, 15])
    await store.durable
      .insertInto('brownouts')
      .values({
        id: `b${day}`,
        rehearses: day % 4 === 3 ? 'sunset' : 'retirement',
        starts_at: now + day * DAY,
        ends_at: now + day * DAY + 3 * 60 * MINUTE,
        text: 'Calls fail for three hours, so that you see what has to move.',
        planned_by: 'test',
        planned_at: now,
      })
      .execute();
  await lifecycle.refresh();
}

async function windowOf(): Promise<{ startsAt: number; endsAt: number }> {
  const { durable } = system.bridge.context.store;
  const own = durable.selectFrom('brownouts').selectAll().where('client_id', '=', app.clientId);
  const last = await own.orderBy('starts_at', 'desc').executeTakeFirstOrThrow();
  return { startsAt: last.starts_at, endsAt: last.ends_at };
}

async function callAs(token: string, agents: readonly string[], path: string): Promise<void> {
  for (const agent of agents) {
    const headers = { authorization: `Bearer ${token}`, 'user-agent': agent };
    await sendRaw(system.bridgeUrl, { path, headers });
    await sendRaw(system.bridgeUrl, {
      path: `${path}?access_token=${token}`,
      headers: { 'user-agent': agent },
    });
  }
}

/** The page looks again by itself, which would happen in the middle of an inspection. */
async function keepStill(): Promise<void> {
  await page.context().route(/\/rehearse(\?|$)/, async (route) => {
    const response = await route.fetch({ maxRedirects: 0 });
    const { refresh: _refresh, ...headers } = response.headers();
    await route.fulfill({ response, headers });
  });
}

const at = async (path: string) => void (await page.goto(`${system.bridgeUrl}${path}`));

const REHEARSE = 'Rehearse the end of the old API';

(browserMissing ? describe.skip : describe)('the dates and the rehearsal', () => {
  beforeAll(async () => {
    // An old backend has to be set for waiting tokens to have something to lose; a rehearsal never asks it.
    const env = { LEGACY_BACKEND_URL: 'http://127.0.0.1:9' };
    [system, browser] = await Promise.all([startSystem({ clock, env }), openChromium()]);
    app = await registerLegacyApp(system.bridge, 'https://dated.example/cb', DANA.accountId);
    const { durable } = system.bridge.context.store;
    await durable.updateTable('apps').set({ name: NAME }).where('client_id', '=', app.clientId).execute();
    await waitingToken(system, { app, accountId: DANA.accountId });
    visitor = await newVisitor(browser);
    page = await visitor.newTab();
  });
  afterAll(async () => {
    await visitor.leave();
    await browser.close();
    await system.stop();
    expect(visitor.complaints).toEqual([]);
  });

  test('are readable in each of their states', async () => {
    await at(`/apps/${app.clientId}/rehearse`);
    await signIn(page, DANA);
    await press(page, 'Allow');
    await look(REHEARSE, 'none-ahead');
    await follow(page, 'Overview');
    await look(NAME, 'app-no-date');
    await setDates({ retirement: clock.now() + 12 * DAY, sunset: clock.now() + 200 * DAY });
    await at(`/apps/${app.clientId}`);
    await look(NAME, 'app-dates');
    await at('/apps');
    await look('Your apps', 'apps-dates');
    await addAllElse();
    await at(`/apps/${app.clientId}`);
    await look(NAME, 'app-everything');
    await at('/apps');
    await look('Your apps', 'apps-extension');

    await at(`/apps/${app.clientId}/rehearse`);
    await look(REHEARSE, 'start');
    await keepStill();
    const active = await issueToken(system, { app });
    await page.getByRole('radio', { name: /^Sunset/ }).check();
    await press(page, 'Start the rehearsal');
    await look(REHEARSE, 'starting');
    const { startsAt, endsAt } = await windowOf();
    clock.set(startsAt + MINUTE);
    await at(`/apps/${app.clientId}/rehearse`);
    await look(REHEARSE, 'running-nothing');
    const agents = [
      'old-client/1.0',
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142',
      '',
    ];
    await callAs(active, agents, '/1/profiles.json');
    await callAs(active, agents.slice(0, 1), '/1/profiles/4eb854340acb04e870000010/updates/pending.json');
    clock.set(endsAt - 72_000);
    await page.context().unrouteAll();
    await follow(page, 'Look again');
    await page.getByText('8 calls failed so far').waitFor();
    await callAs(active, agents.slice(0, 1), '/1/user.json');
    // Nobody touches the page.
    await page.getByText('10 calls failed so far').waitFor({ timeout: 12_000 });
    await keepStill();
    await follow(page, 'Look again');
    await look(REHEARSE, 'running');
    await follow(page, 'Stop reloading');
    await look(REHEARSE, 'running-unwatched');
    clock.set(endsAt + 1000);
    await at(`/apps/${app.clientId}/rehearse`);
    await look(REHEARSE, 'settling');
    clock.set(endsAt + MINUTE);
    await at(`/apps/${app.clientId}/rehearse`);
    await look(REHEARSE, 'result');
    await page.getByRole('radio', { name: /^Retirement/ }).check();
    const form = await visitor.newTab();
    await form.goto(page.url());
    await press(page, 'Start the rehearsal');
    await seeHeading(page, 'Retirement: the rehearsal begins in a moment');
    await press(form, 'Start the rehearsal');
    page = form;
    await look(REHEARSE, 'twice');
    await press(page, 'End the rehearsal now');
    await look(REHEARSE, 'stopped');
    clock.advance(MINUTE);
    await at(`/apps/${app.clientId}/rehearse`);
    await look(REHEARSE, 'result-none');
  }, 480_000);

  test('and so are the links that ask to connect again', async () => {
    const now = clock.now();
    const pair = { clientId: system.app.clientId, accountId: DANA.accountId };
    await waitingToken(system, { accountId: DANA.accountId });
    const link = new URL(await reauthorizationLink(system.bridge.context, pair)).pathname;
    const stranger = await newVisitor(browser);
    const [known, unknown] = [page, await stranger.newTab()];
    for (const [state, dates] of [
      ['before', { retirement: now + 12 * DAY, sunset: now + 200 * DAY }],
      ['between', { retirement: now - 12 * DAY, sunset: now + 20 * DAY }],
      ['ended', { retirement: now - 12 * DAY, sunset: now - DAY }],
    ] as const) {
      await setDates(dates);
      page = known;
      await at(link);
      await look(state === 'ended' ? 'The old API has ended' : 'Connect “Old App” again', `connect-${state}`);
      await at(`/apps/${system.app.clientId}`);
      await look('Old App', `app-${state}`);
      page = unknown;
      await at(`/apps/${system.app.clientId}`);
      await look(state === 'ended' ? 'Old App' : 'Connect “Old App” again', `signed-out-${state}`);
    }
    page = known;
    await at('/apps');
    await look('Your apps', 'apps-ended');
    await stranger.leave();
  }, 480_000);
});
