import { reauthorizationLink } from '../../src/domain/reauthorize.ts';
import { timeElement } from '../../src/http/people/words.ts';
import { CookieWalker } from '../support/cookie-walker.ts';
import { until } from '../support/held-answer.ts';
import { registerLegacyApp, type RegisteredApp } from '../support/register-app.ts';
import { startSystem, type System } from '../support/system.ts';
import { browserOf, DANA, pressIn, SAM, waitingToken, wordsOf } from './support/people.ts';

/** The pages on which owners and holders meet the dates. */

const DAY = 86_400_000;
let system: System;
let dana: CookieWalker;
let sam: CookieWalker;
let app: RegisteredApp;
let link: string;
let now: number;

beforeAll(async () => {
  system = await startSystem();
  [dana, sam] = [await browserOf(system), await browserOf(system, SAM)];
});
afterAll(() => system.stop());

const tables = ['lifecycle_dates', 'extensions', 'brownouts', 'brownout_exemptions'] as const;
beforeEach(async () => {
  const { durable } = system.bridge.context.store;
  for (const table of tables) await durable.deleteFrom(table).execute();
  app = await registerLegacyApp(system.bridge, 'https://dated.example/cb', DANA.accountId);
  await waitingToken(system, { app, accountId: SAM.accountId });
  const pair = { clientId: app.clientId, accountId: SAM.accountId };
  link = await reauthorizationLink(system.bridge.context, pair);
  now = system.bridge.context.clock.now();
  await untilKnown();
});

/** Until the bridge, here or elsewhere, has read what the test wrote. */
async function untilKnown(): Promise<void> {
  await system.bridge.context.lifecycle.refresh();
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
