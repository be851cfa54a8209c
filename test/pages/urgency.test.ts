import { keepProgress } from '../../src/domain/progress/keep-progress.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { browserOf, DANA, SAM, waitingToken, wordsOf } from '../owners/support/people.ts';
import { extend, setDate } from '../reminders/support/planning-ground.ts';
import { linesOf } from '../staff/support/desk-rows.ts';
import { staffBrowser } from '../staff/support/staff-browser.ts';
import { DANA_PERSON, letterTo, toHolder, wordsIn } from '../reminders/support/letters.ts';
import type { CookieWalker } from '../support/callers/cookie-walker.ts';
import { type RegisteredApp, registerLegacyApp } from '../support/bridge/register-app.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** What needs somebody is listed by urgency: what stopped longest, then the nearest date, then the most tokens. */

const NOW = Date.parse('2026-11-22T10:00:00Z');
const clock = new SettableClock(NOW);
const dayIn = (days: number) => new Date(NOW + days * DAY).toISOString();

let system: System;
let dana: CookieWalker;

/** By the names of the apps. */
const clientIds = new Map<string, string>();

const durable = () => system.bridge.context.store.durable;

/** An app under a name, whose retirement is later than that of all where it has more days. */
async function appNamed(name: string, { owner, days }: { owner?: string; days?: number } = {}) {
  const app = await registerLegacyApp(system.bridge, 'https://urgent.example/cb', owner);
  await durable().updateTable('apps').set({ name }).where('client_id', '=', app.clientId).execute();
  clientIds.set(name, app.clientId);
  if (days !== undefined) await extend(system.bridge.context, app.clientId, dayIn(days));
  return app;
}

/** A token that stopped so many days ago. */
async function stopped(app: RegisteredApp, daysAgo: number): Promise<void> {
  const { id } = await waitingToken(system, {
    app,
    accountId: DANA.accountId,
    state: 'reauthorization_required',
  });
  const at = NOW - daysAgo * DAY;
  await durable()
    .updateTable('mappings')
    .set({ reason: 'grant_refused', updated_at: at })
    .where('id', '=', id)
    .execute();
}

/** The names in the order in which they stand in a text. */
function orderIn(text: string, names: readonly string[]): string[] {
  for (const name of names) expect(text).toContain(name);
  return names.toSorted((one, other) => text.indexOf(one) - text.indexOf(other));
}

/** Of a page the part between two words of it. */
const between = (text: string, from: string, to: string) =>
  text.slice(text.indexOf(from), text.lastIndexOf(to));

beforeAll(async () => {
  system = await startSystem({ clock, env: { LEGACY_BACKEND_URL: 'http://127.0.0.1:9' } });
  dana = await browserOf(system);
  await setDate(system.bridge.context, 'retirement', dayIn(7));
});
afterAll(() => system.stop());

describe('of a person', () => {
  const HELD = ['Zebra stopped first', 'Yak stopped later', 'Newsletter', 'Kiosk', 'Campaign of autumn'];

  beforeAll(async () => {
    const later = await appNamed('Campaign of autumn', { days: 74 });
    const few = await appNamed('Kiosk');
    const many = await appNamed('Newsletter');
    await stopped(await appNamed('Yak stopped later'), 2);
    await stopped(await appNamed('Zebra stopped first'), 40);
    for (const app of [later, few, many, many])
      await waitingToken(system, { app, accountId: DANA.accountId });
    const works = await appNamed('Almanac that works');
    await waitingToken(system, { app: works, accountId: DANA.accountId, state: 'active' });
  });

  test('what needs them today, and the cards below', async () => {
    const words = wordsOf(await dana.get(`${system.bridgeUrl}/apps`));
    const [needs, cards] = [
      between(words, 'What needs you today', 'Apps that you registered'),
      words.slice(words.indexOf('Apps that use your account')),
    ];
    expect(orderIn(needs, HELD)).toEqual(HELD);
    expect(orderIn(cards, [...HELD, 'Almanac that works'])).toEqual([...HELD, 'Almanac that works']);
  });

  test('the tokens of an account, on the page of support', async () => {
    const staff = await staffBrowser(system, 'reader');
    const page = await staff.get(`${system.bridgeUrl}/support/accounts/${DANA.accountId}`);
    const states = linesOf(page)
      .map((line) => line.slice(0, 400))
      .join(' ');
    const names = ['Zebra stopped first', 'Yak stopped later', 'Campaign of autumn', 'Almanac that works'];
    expect(orderIn(states, names)).toEqual(names);
  });

  test('a mail about several apps', async () => {
    const app = (name: string) => ({ ...system.app, clientId: clientIds.get(name) ?? '', name });
    const died = (name: string, daysAgo: number) => {
      const more = { plannedFor: String(NOW - daysAgo * DAY) };
      return toHolder(app(name), { stage: 'died', ...more });
    };
    const ahead = (name: string, days: number, waiting = 1) =>
      toHolder(app(name), { at: NOW + days * DAY, part: { waiting } });
    const due = [
      ahead('Campaign of autumn', 74),
      ahead('Kiosk', 7),
      ahead('Newsletter', 7, 5),
      died('Yak stopped later', 2),
      died('Zebra stopped first', 40),
    ];
    const { html, text } = await letterTo(system, DANA_PERSON, due);
    for (const words of [wordsIn(html), text]) expect(orderIn(words, HELD)).toEqual(HELD);
  });
});

describe('of an owner', () => {
  const NAMES = Array.from({ length: 25 }, (_, place) => `App ${String(place).padStart(2, '0')}`);
  const OWNED = ['Workshop soon', 'Xylophone with one', 'Bakery later'];

  beforeAll(async () => {
    for (const name of NAMES) await appNamed(name, { owner: SAM.accountId });
    const later = await appNamed('Bakery later', { owner: SAM.accountId, days: 74 });
    const one = await appNamed('Xylophone with one', { owner: SAM.accountId });
    const soon = await appNamed('Workshop soon', { owner: SAM.accountId });
    // What the registration gave the owner waits for nobody.
    await durable()
      .updateTable('mappings')
      .set({ state: 'revoked' })
      .where('account_id', '=', SAM.accountId)
      .execute();
    for (const [app, people] of [
      [later, 9],
      [one, 1],
      [soon, 3],
    ] as const)
      for (let n = 0; n < people; n += 1)
        await waitingToken(system, { app, email: `p${n}@${app.clientId}.example` });
    await keepProgress(system.bridge.context);
  });

  test('who has still to connect, and the cards, of which the quiet apps get the rest', async () => {
    const sam = await browserOf(system, SAM);
    const words = wordsOf(await sam.get(`${system.bridgeUrl}/apps`));
    const [awaited, cards] = [
      between(words, 'still wait', 'Apps that you registered'),
      words.slice(words.indexOf('Apps that you registered')),
    ];
    expect(orderIn(awaited, OWNED)).toEqual(OWNED);
    expect(orderIn(cards, [...OWNED, 'App 00', 'App 24'])).toEqual([...OWNED, 'App 00', 'App 24']);
  });

  test('the progress of each app', async () => {
    const sam = await browserOf(system, SAM);
    const words = wordsOf(await sam.get(`${system.bridgeUrl}/apps/progress`));
    expect(orderIn(words.slice(words.indexOf('largest apps')), OWNED)).toEqual(OWNED);
  });

  test('the apps with people who wait, on the desk of support', async () => {
    const staff = await staffBrowser(system, 'reader');
    const lines = linesOf(await staff.get(`${system.bridgeUrl}/support/desks/waiting`)).join(' ');
    expect(orderIn(lines, OWNED)).toEqual(OWNED);
  });
});
