import type { Milestone } from '../../src/domain/lifecycle/lifecycle.ts';
import { reauthorizationLink } from '../../src/domain/authorization/reauthorize.ts';
import { keepProgress } from '../../src/domain/progress/keep-progress.ts';
import { describeMapping } from '../../src/domain/support/describe-mapping.ts';
import { timeElement } from '../../src/http/wording/words.ts';
import { mappingStanding } from '../../src/http/support/token/mapping-facts.ts';
import { dayOf } from '../../src/shared/moments.ts';
import { countCallsSince } from '../../src/store/usage/known-calls.ts';
import { type Plan, plan } from '../lifecycle/support/lifecycle-rows.ts';
import { CookieWalker } from '../support/callers/cookie-walker.ts';
import { until } from '../support/servers/held-answer.ts';
import { registerLegacyApp, type RegisteredApp } from '../support/bridge/register-app.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import type { StartedBridge } from '../support/bridge/started-bridge.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
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
  await countCallsSince(system.bridge.context.store, 0);
  lone = await startSecond(system, { clock, env: {} });
  [dana, sam] = [await browserOf(system), await browserOf(system, SAM)];
});
afterAll(async () => {
  await lone.close();
  await system.stop();
});

beforeEach(async () => {
  await plan(system.bridge, {});
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

/** These dates and nothing else. */
async function set(dates: NonNullable<Plan['dates']>, besides: Omit<Plan, 'dates'> = {}): Promise<void> {
  await plan(system.bridge, { dates, ...besides });
  await untilKnown();
}

const wordsAt = async (url: string, browser = sam) => wordsOf(await browser.get(url));
const appPage = async (browser = sam) => wordsAt(`${system.bridgeUrl}/apps/${app.clientId}`, browser);
const inDays = (days: number) => now + days * DAY;
const outageIn = (days: number, rehearses: Milestone) => ({
  rehearses,
  startsAt: inDays(days),
  endsAt: inDays(days) + 60_000,
});
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
  expect(await appPage(new CookieWalker())).toMatch(/Connect it by .* \( in 40 days \)/);
  expect(wordsOf(await new CookieWalker().get(link))).toMatch(/Connect it by .* \( in 40 days \)/);
  expect(wordsOf(await sam.get(link))).toMatch(/Connect it by .* \( in 40 days \)/);
  const home = wordsOf(await sam.get(`${system.bridgeUrl}/apps`));
  expect(home).toMatch(/UTC in 40 days : From then on, tokens/);
  expect(home).toMatch(/Old App 1 token waiting .*40 days left until the retirement/);
});

test('more time is said to everybody, its reason to the owner alone', async () => {
  const extensions = [{ clientId: app.clientId, name: 'retirement' as const, until: inDays(60) }];
  await set({ retirement: inDays(40) }, { extensions });
  expect(await appPage()).toMatch(/UTC in 60 days .*This app was given more time. For all others it is/);
  expect(await appPage()).not.toContain('asked for it');
  expect(await appPage(dana)).toContain('Reason: asked for it');
  expect(wordsOf(await sam.get(`${system.bridgeUrl}/apps`))).toMatch(
    /in 40 days : .*Its own next date: .*in 60 days/,
  );
});

test('an exemption is told to the owner alone, and brownouts to everybody', async () => {
  const { durable } = system.bridge.context.store;
  const exemptions = [{ clientId: app.clientId, until: inDays(3) }];
  const brownouts = [2, 4, 5, 6, 7, 8].map((day) => outageIn(day, 'sunset'));
  await set({ sunset: inDays(40) }, { exemptions, brownouts });
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
  expect(page).not.toMatch(/left out|asked for it/);
  expect(await appPage(dana)).toMatch(/left out of the short test outages until .*asked for it/);
});

test('after the retirement the link still connects', async () => {
  await set({ retirement: inDays(-3), sunset: inDays(20) });
  expect(await appPage()).toMatch(/1 token waiting .*Connect .*Since .*Connect the app, and the new API/);
  const page = await sam.get(link);
  expect(wordsOf(page)).toMatch(/answered none of its calls since .*ends on .* \( in 20 days \)/);
  const left = await pressIn(sam, page, /^Connect$/);
  expect(left.location).toContain(`${system.proxy.origin}/auth?`);
});

test('after the sunset nothing leads to a consent, and every page says why', async () => {
  const before = await sam.get(link);
  const page = await sam.get(`${system.bridgeUrl}/apps/${app.clientId}`);
  await set({ sunset: inDays(-1) });
  await calledElsewhere();
  expect(wordsOf(await sam.get(`${system.bridgeUrl}/apps/${app.clientId}/calls`))).toMatch(
    /Refused since the sunset The old API ended on .* Every call to it is refused, with connected tokens too\./,
  );
  for (const browser of [sam, new CookieWalker()]) {
    const ended = await browser.get(link);
    expect(wordsOf(ended)).toMatch(/The old API has ended .*All dates of the old API/);
    expect(ended.body).toContain('href="/lifecycle"');
  }
  expect((await pressIn(sam, before, /^Connect$/)).location).toBe(new URL(link).pathname);
  const back = await sam.follow(await pressIn(sam, page, /^Connect$/));
  expect(back.url).toContain('done=old-api-ended');
  expect(wordsOf(back)).toMatch(/Nothing was connected: the old API has ended.*1 token waiting/);
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
  await calledElsewhere();
  expect(wordsOf(await dana.get(`${system.bridgeUrl}/apps`))).toMatch(
    /Its tokens have moved to the new API, but in the last 30 days it called the old one\. .*3 calls in the last/,
  );
});

const at = async (path: string, browser = sam) => browser.get(`${lone.url}${path}`);
const own = (path = '') => `/apps/${app.clientId}${path}`;

/** Of the bridge without an old API. */
async function expectSaid(says: ReadonlyArray<[path: string, browser: CookieWalker, words: RegExp]>) {
  for (const [path, browser, words] of says) {
    const said = wordsOf(await at(path, browser));
    expect(said).toMatch(words);
    expect(said).not.toMatch(
      /Connect it by|days left|From then on|Rehearse it|The old API retires|before the retirement/,
    );
  }
}

async function calledElsewhere(): Promise<void> {
  const call = { endpoint: '/1/analytics.json', carrier: 'header', user_agent: 'x', outcome: 'ok' };
  const row = { ...call, mapping_id: waiting, day: dayOf(now), calls: 3, last_at: now };
  await system.bridge.context.store.volatile.insertInto('usage').values(row).execute();
}

const lifecyclePage = async ({ url } = system.bridge) => wordsAt(`${url}/lifecycle`);
const pastePage = async ({ url } = system.bridge) => wordsAt(`${url}/apps/paste-token`);

test('/lifecycle of a bridge with an old API says what the retirement takes away', async () => {
  expect(await lifecyclePage()).toMatch(/No date is set\. The old API goes on as it is\./);
  expect(await lifecyclePage(lone)).toMatch(/No date is set\. Connected tokens go on as they are\./);
  await set({ retirement: inDays(20) }, { brownouts: [outageIn(2, 'retirement')] });
  const text = await lifecyclePage();
  expect(text).toMatch(/in 20 days From this date on tokens .* that nobody has connected .* are refused\./);
  expect(text).toMatch(/not connected is then answered with status 401 .*Tokens that are not connected are/);
  const { body } = await sam.get(`${system.bridge.url}/lifecycle.json`);
  expect(body).toMatch(/"retirement":\{.*are refused\. For connected ones the new API answers/);
  expect(text + body).not.toMatch(/changes no call|is refused now|No call changes/);
  expect((await sam.get(`${system.bridge.url}/lifecycle`)).body).toMatch(/warning"><time .*>in 20 days</);
});

test('a token is pasted to be compared only while the old API can be asked for it', async () => {
  expect(await pastePage()).toMatch(/are compared with your channels.*Compare with my account/);
  await set({ retirement: inDays(-1) });
  expect(await pastePage()).toMatch(/only where its app was given more time: .*Look it up/);
  expect(await pastePage()).not.toContain('Compare with my account');
  expect(await pastePage(lone)).toMatch(/cannot find out whose it is, .*Look it up/);
});

async function standingAt({ context }: StartedBridge): Promise<string> {
  const found = await describeMapping(context, waiting);
  if (!found) throw new Error('the token is not there');
  return mappingStanding(context, found, undefined).sentence;
}

test('support says since when a token is refused', async () => {
  await set({ retirement: inDays(-1) });
  expect(await standingAt(system.bridge)).toMatch(/now: it was not connected .* before the retirement\.$/);
  expect(await standingAt(lone)).toMatch(/^It is refused now: it is not connected to the new API\.$/);
});

describe('without an old API', () => {
  test.each([
    ['ahead', 40],
    ['past', -1],
  ])('what is not connected is refused on every page, the retirement %s', async (_when, days) => {
    await set({ retirement: inDays(days) });
    await keepProgress(lone.context);
    await calledElsewhere();
    const SAYS: Array<[path: string, browser: CookieWalker, words: RegExp]> = [
      [own(), sam, /1 token waiting .* so the retirement changes nothing/],
      [own(), dana, /a token of yours is refused until then\..*2 tokens waiting/],
      [own(), new CookieWalker(), /needs no change\. Until the app is connected, its calls are refused\./],
      [new URL(link).pathname, sam, /Until the app is connected, its calls are refused\./],
      ['/apps', sam, /“Old App” is refused now: .*Connect once, and 1 token works, for calls that/],
      ['/apps', dana, /Old App: 1 person, refused until then\. .*2 tokens waiting/],
      [own('/tokens'), sam, /works, for calls that the new API answers\. Until then calls/],
      [own('/move'), dana, /2 wait for their holders and are refused until then\./],
      ['/apps/progress', dana, /are not connected\. They are refused until connected\. As counted \d.* UTC/],
      [own('/calls'), sam, /Not answered The new API does not carry out this call: it gets an error/],
      [own('/rehearse'), dana, /Nothing to rehearse The retirement changes no call|No date is ahead/],
      ['/apps/paste-token', sam, /cannot find out whose it is, because the old API is off/],
      ['/lifecycle', sam, /Nothing changes here on that day: tokens .* are refused already\./],
    ];
    await expectSaid(SAYS);
    expect((await at('/apps/progress', dana)).body).not.toContain('Retirement');
  });

  test('after the sunset nobody is told to connect', async () => {
    await set({ retirement: inDays(-9), sunset: inDays(-1) });
    await keepProgress(lone.context);
    await expectSaid([
      [own(), sam, /1 token waiting It was never connected to the new API, and the old API has ended\./],
      [own(), dana, /Next The old API has ended for this app\./],
      [own('/tokens'), sam, /waiting It was never connected to the new API, and the old/],
      [own('/move'), dana, /0 of 2 tokens are connected or moved\. 2 are not connected; the old API has/],
      ['/apps', sam, /Nothing: no app of yours waits for you\./],
      ['/apps/progress', dana, /The old API has ended: connecting helps no more\./],
      ['/lifecycle', sam, /The old API has ended\. An app that still calls it has to move/],
      ['/', sam, /call these addresses, .* What is answered there, and until when/],
    ]);
    expect(wordsOf(await at(own('/move'), dana))).not.toMatch(/press “Connect”|Send their holders/);
  });

  test('the sunset alone can be rehearsed, and counts the days', async () => {
    await set({ retirement: inDays(40), sunset: inDays(90) });
    expect(wordsOf(await at('/apps'))).toMatch(/connected, .*it works until the old API ends on/);
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
