import { reauthorizationLink } from '../../src/domain/reauthorize.ts';
import { keepProgress } from '../../src/domain/progress/keep-progress.ts';
import { timeElement } from '../../src/http/people/words.ts';
import { dayOf } from '../../src/shared/moments.ts';
import { CookieWalker } from '../support/cookie-walker.ts';
import { until } from '../support/held-answer.ts';
import { registerLegacyApp, type RegisteredApp } from '../support/register-app.ts';
import { SettableClock } from '../support/settable-clock.ts';
import type { StartedBridge } from '../support/started-bridge.ts';
import { startSystem, type System } from '../support/system.ts';
import { browserOf, DANA, pressIn, SAM, waitingToken, wordsOf } from './support/people.ts';
import { startSecond } from './support/second-bridge.ts';

/** The pages on which owners and holders meet the dates. */

const DAY = 86_400_000;
const clock = new SettableClock();
let system: System;
/** Another on the same database that has no old API. */
let lone: StartedBridge;
let dana: CookieWalker;
let sam: CookieWalker;
let app: RegisteredApp;
let link: string;
let waiting: string;
let now: number;

beforeAll(async () => {
  // Nobody asks it; while it is there, what waits is not refused.
  system = await startSystem({ clock, env: { LEGACY_BACKEND_URL: 'http://127.0.0.1:9' } });
  lone = await startSecond(system, { clock, env: {} });
  [dana, sam] = [await browserOf(system), await browserOf(system, SAM)];
});
afterAll(async () => {
  await lone.close();
  await system.stop();
});

const tables = ['lifecycle_dates', 'extensions', 'brownouts', 'brownout_exemptions'] as const;
beforeEach(async () => {
  const { durable } = system.bridge.context.store;
  for (const table of tables) await durable.deleteFrom(table).execute();
  app = await registerLegacyApp(system.bridge, 'https://dated.example/cb', DANA.accountId);
  ({ id: waiting } = await waitingToken(system, { app, accountId: SAM.accountId }));
  const pair = { clientId: app.clientId, accountId: SAM.accountId };
  link = await reauthorizationLink(system.bridge.context, pair);
  now = system.bridge.context.clock.now();
  await untilKnown();
});

/** Until the bridge, here or elsewhere, has read what the test wrote. */
async function untilKnown(): Promise<void> {
  for (const { context } of [system.bridge, lone]) await context.lifecycle.refresh();
  const { dates } = system.bridge.context.lifecycle.current();
  const isSet = dates.retirement !== undefined || dates.sunset !== undefined;
  await until(async () => (await appPage()).includes('No date is set') !== isSet);
}

async function set(dates: Partial<Record<'retirement' | 'sunset', number>>): Promise<void> {
  const { durable } = system.bridge.context.store;
  for (const [name, time] of Object.entries(dates))
    await durable
      .insertInto('lifecycle_dates')
      .values({ name: name as 'sunset', at: time, changed_at: now, changed_by: 'test' })
      .execute();
  await untilKnown();
}

async function extend(name: 'retirement' | 'sunset', time: number): Promise<void> {
  const granted = { reason: 'A bank needs six weeks.', granted_by: 'test', granted_at: now };
  const row = { id: `e-${app.clientId}`, client_id: app.clientId, name, until: time, ...granted };
  await system.bridge.context.store.durable.insertInto('extensions').values(row).execute();
}

const appPage = async (browser = sam) =>
  wordsOf(await browser.get(`${system.bridgeUrl}/apps/${app.clientId}`));
const inDays = (days: number) => now + days * DAY;
const momentOf = (time: number) => timeElement(time).replaceAll(/<[^>]*>/g, '');

test('without dates the page of the app says so, and the others are silent', async () => {
  expect(await appPage()).toContain('No date is set on which the old API changes.');
  expect(await appPage()).not.toContain('Rehearse');
  expect(await appPage(dana)).not.toContain('Rehearse');
  expect(wordsOf(await sam.get(link))).not.toMatch(/UTC|by then/);
  expect(wordsOf(await sam.get(`${system.bridgeUrl}/apps`))).not.toContain('UTC');
});

test('a date ahead stands on each of them, with the days that are left', async () => {
  await set({ retirement: inDays(40), sunset: inDays(90) });
  expect(await appPage()).toMatch(/, \d\d:\d\d UTC in 40 days .*, \d\d:\d\d UTC in 90 days/);
  expect(await appPage()).not.toContain('Rehearse');
  expect(await appPage(dana)).toContain('Rehearse it for five minutes');
  expect(await appPage(new CookieWalker())).toMatch(/Connect it by .* \(in 40 days\)/);
  expect(wordsOf(await new CookieWalker().get(link))).toMatch(/Connect it by .* \(in 40 days\)/);
  expect(wordsOf(await sam.get(link))).toMatch(/Connect it by .* \(in 40 days\)/);
  const home = wordsOf(await sam.get(`${system.bridgeUrl}/apps`));
  expect(home).toMatch(/UTC in 40 days : From then on, tokens/);
  expect(home).toMatch(/Old App 1 token waiting .*40 days left until the retirement/);
});

test('more time is said to everybody, its reason to the owner alone', async () => {
  await extend('retirement', inDays(60));
  await set({ retirement: inDays(40) });
  expect(await appPage()).toMatch(/UTC in 60 days .*This app was given more time. For all others it is/);
  expect(await appPage()).not.toContain('A bank needs');
  expect(await appPage(dana)).toContain('Reason: A bank needs six weeks.');
  expect(wordsOf(await sam.get(`${system.bridgeUrl}/apps`))).toMatch(
    /in 40 days : .*Its own next date: .*in 60 days/,
  );
});

test('an exemption is told to the owner alone, and brownouts to everybody', async () => {
  const { durable } = system.bridge.context.store;
  const granted = { reason: 'It prints wages.', granted_by: 'test', granted_at: now };
  await durable
    .insertInto('brownout_exemptions')
    .values({ id: 'x', client_id: app.clientId, until: inDays(3), ...granted })
    .execute();
  for (const day of [2, 4, 5, 6, 7, 8])
    await durable
      .insertInto('brownouts')
      .values({
        id: `b${day}`,
        rehearses: 'sunset',
        starts_at: inDays(day),
        ends_at: inDays(day) + 60_000,
        text: `Test ${day} of the end.`,
        planned_by: 'test',
        planned_at: now,
      })
      .execute();
  await set({ sunset: inDays(40) });
  const page = await appPage();
  expect(page.match(/Every call to the old API is refused\./g)).toHaveLength(4);
  expect(page).toMatch(/And 1 more/);
  const shown = (day: number) => `${momentOf(inDays(day))} to ${momentOf(inDays(day) + 60_000)}`;
  expect(page).toContain(shown(4));
  expect(page).not.toContain(shown(2));
  // The first page tells the next one of those that the apps there meet.
  await durable.deleteFrom('mappings').where('client_id', '<>', app.clientId).execute();
  const home = wordsOf(await sam.get(`${system.bridgeUrl}/apps`));
  expect(home).toContain(
    `${shown(4)} : A short test outage (brownout). Every call to the old API is refused.`,
  );
  expect(home).not.toContain(shown(2));
  expect(page).not.toMatch(/left out|wages/);
  expect(await appPage(dana)).toMatch(/left out of the short test outages until .*It prints wages\./);
});

test('after the retirement the link still connects', async () => {
  await set({ retirement: inDays(-3), sunset: inDays(20) });
  expect(await appPage()).toMatch(/1 token refused .*Connect .*Since .*Connect the app and they work again/);
  const page = await sam.get(link);
  expect(wordsOf(page)).toMatch(/is refused\. .*ends on .* \(in 20 days\)/);
  const left = await pressIn(sam, page, /^Connect$/);
  expect(left.location).toContain(`${system.proxy.origin}/auth?`);
});

test('after the sunset nothing leads to a consent, and every page says why', async () => {
  const before = await sam.get(link);
  const page = await sam.get(`${system.bridgeUrl}/apps/${app.clientId}`);
  await set({ sunset: inDays(-1) });
  await calledElsewhere();
  expect(wordsOf(await sam.get(`${system.bridgeUrl}/apps/${app.clientId}/calls`))).toMatch(
    /Not answered any more The old API alone answered this call, and it is not there any more/,
  );
  for (const browser of [sam, new CookieWalker()]) {
    const ended = await browser.get(link);
    expect(wordsOf(ended)).toMatch(/The old API has ended .*All dates of the old API/);
    expect(ended.body).toContain('href="/lifecycle"');
  }
  expect((await pressIn(sam, before, /^Connect$/)).location).toBe(new URL(link).pathname);
  const back = await sam.follow(await pressIn(sam, page, /^Connect$/));
  expect(back.url).toContain('done=old-api-ended');
  expect(wordsOf(back)).toMatch(/Nothing was connected: the old API has ended.*1 token refused/);
  expect(sam.forms(back).map(({ action }) => action)).toEqual([`${system.bridgeUrl}/sign-out`]);
  expect(await appPage(new CookieWalker())).toMatch(/which ended on .*the app has to use the new API/);
  expect((await sam.get(`${system.bridgeUrl}/apps`)).body).not.toContain(`/apps/${app.clientId}/connect`);
  expect(await appPage(dana)).not.toContain('Rehearse it');
});

test('what has moved has no days left', async () => {
  await system.bridge.context.store.durable.updateTable('mappings').set({ state: 'migrated' }).execute();
  await set({ retirement: inDays(40) });
  const cards: Array<[id: string, browser: CookieWalker, words: string]> = [
    ['own', dana, 'The app has moved to the new API.'],
    ['app', sam, 'The app has moved to the new API and does not need it.'],
  ];
  for (const [id, browser, words] of cards) {
    const { body } = await browser.get(`${system.bridgeUrl}/apps`);
    const card = body.split('<section').find((one) => one.includes(`"${id}-${app.clientId}"`));
    expect(card).toContain(words);
    expect(card).not.toContain('days left');
  }
});

test('a rehearsal that is ended before it begins does not begin any more', async () => {
  await set({ sunset: inDays(40) });
  const page = `${system.bridgeUrl}/apps/${app.clientId}/rehearse`;
  const begun = await dana.follow(await pressIn(dana, await dana.get(page), /^Start the rehearsal$/));
  const stopped = await dana.follow(await pressIn(dana, begun, /^End the rehearsal now$/));
  expect(wordsOf(stopped)).toMatch(/Stopped\. .*Ended before it began .*No call of this app met it\./);
  expect(wordsOf(stopped)).not.toMatch(/begins in a moment|failed/);
  expect(stopped.headers.get('refresh')).toBeNull();
});

const at = async (path: string, browser = sam) => browser.get(`${lone.url}${path}`);
const own = (path = '') => `/apps/${app.clientId}${path}`;

async function calledElsewhere(): Promise<void> {
  const call = { endpoint: '/1/updates/create.json', carrier: 'header', user_agent: 'x', outcome: 'other' };
  const row = { ...call, mapping_id: waiting, day: dayOf(now), calls: 3, last_at: now };
  await system.bridge.context.store.volatile.insertInto('usage').values(row).execute();
}

describe('without an old API', () => {
  test('what is not connected is refused on every page, whatever the retirement', async () => {
    await set({ retirement: inDays(40) });
    await keepProgress(lone.context);
    await calledElsewhere();
    const SAYS: Array<[path: string, browser: CookieWalker, words: RegExp]> = [
      [own(), sam, /1 token refused .* The retirement of the old API changes no call here/],
      [own(), dana, /a token of yours is refused until then\..*2 tokens refused/],
      [own(), new CookieWalker(), /needs no change\. What is not connected is refused now\./],
      [new URL(link).pathname, sam, /What is not connected is refused now\./],
      ['/apps', sam, /“Old App” is refused: .*1 token works after one confirmation\. What is not/],
      ['/apps', dana, /Old App: 1 person, refused until then\. .*2 tokens refused/],
      [own('/tokens'), sam, /works after one confirmation\. Until then calls with it are refused\./],
      [own('/move'), dana, /2 wait for their holders and are refused until then\./],
      ['/apps/progress', dana, /wait\. They are refused until connected\. As counted \d.* UTC/],
      [own('/calls'), sam, /Not answered any more .*is refused, for connected tokens too\./],
      [own('/rehearse'), dana, /Nothing to rehearse The retirement changes no call of this app/],
      ['/apps/paste-token', sam, /cannot be proven now, for the older API is not there to ask/],
      ['/lifecycle', sam, /That changes no call here: tokens .* are refused before it too\./],
    ];
    for (const [path, browser, words] of SAYS) {
      const said = wordsOf(await at(path, browser));
      expect(said).toMatch(words);
      expect(said).not.toMatch(
        /Connect it by|days left|From then on|Rehearse it|The old API retires|waiting/,
      );
    }
    expect((await at('/apps/progress', dana)).body).not.toContain('Retirement');
  });

  test('the sunset alone can be rehearsed, and counts the days', async () => {
    await set({ retirement: inDays(40), sunset: inDays(90) });
    expect(wordsOf(await at('/apps'))).toMatch(/What is not connected .*it works until the old API ends on/);
    expect(wordsOf(await at('/apps'))).toMatch(/90 days left until the sunset/);
    const page = await at(own('/rehearse'), dana);
    expect(page.body).toContain('value="sunset"');
    expect(page.body).not.toContain('value="retirement"');
    const [form] = dana.forms(page).filter(({ action }) => action.endsWith('/rehearse'));
    if (!form) throw new Error('no form to start a rehearsal');
    const fields = Object.fromEntries(form.fields.map(({ name, value }) => [name, value]));
    const refused = await dana.post(
      form.action,
      { ...fields, rehearses: 'retirement' },
      { origin: system.bridgeUrl },
    );
    expect([refused.status, wordsOf(refused)]).toEqual([409, expect.stringContaining('Choose one of')]);
  });
});
