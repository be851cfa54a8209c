import { DAY } from '../../src/shared/lifetimes.ts';
import { wordsOf } from '../owners/support/people.ts';
import { setDate } from '../reminders/support/planning-ground.ts';
import type { CookieWalker, Page } from '../support/callers/cookie-walker.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { act } from './support/actions.ts';
import { linesOf } from './support/desk-rows.ts';
import { keepExtension } from './support/grants.ts';
import { staffBrowser } from './support/staff-browser.ts';

/** More time that would change nothing for anybody is refused with why, and stands nowhere. */

const clock = new SettableClock(Date.parse('2026-11-22T10:00:00Z'));
let system: System;
let sam: CookieWalker;

const at = (path: string) => `${system.bridgeUrl}/support${path}`;
const rows = () => system.bridge.context.store.durable;
const dayIn = (days: number) => new Date(clock.now() + days * DAY).toISOString().slice(0, 10);

async function newApp(): Promise<string> {
  return (await system.registerApp('https://in-vain.example/callback')).clientId;
}

const extend = (clientId: string, date: string, until: string) =>
  act(sam, at(`/apps/${clientId}/extend`), { date, until });

/** What was written about the app. */
async function changesOf(clientId: string): Promise<number> {
  const events = await rows()
    .selectFrom('events')
    .select('action')
    .where('client_id', '=', clientId)
    .where('action', 'in', ['app_extended', 'extension_ended'])
    .execute();
  const kept = await rows().selectFrom('extensions').select('id').where('client_id', '=', clientId).execute();
  return events.length + kept.length;
}

function expectRefused(page: Page, why: RegExp): void {
  expect(page.status).toBe(422);
  expect(wordsOf(page)).toMatch(why);
  expect(wordsOf(page)).toContain('Nothing was changed.');
}

async function forget(): Promise<void> {
  await rows().deleteFrom('lifecycle_dates').execute();
  await rows().deleteFrom('extensions').execute();
  await system.bridge.context.lifecycle.refresh();
}

describe('where no old API is behind the bridge', () => {
  beforeAll(async () => {
    system = await startSystem({ clock });
    sam = await staffBrowser(system, 'lead');
  });
  afterAll(() => system.stop());
  beforeEach(forget);

  test('no form is shown while no date can be put off, and each date says why', async () => {
    const clientId = await newApp();
    await setDate(system.bridge.context, 'retirement', dayIn(60));
    const page = await sam.get(at(`/apps/${clientId}/extend`));
    expect(wordsOf(page)).toMatch(/There is no old API behind this bridge.*No sunset is set for all/);
    expect(sam.forms(page).some(({ action }) => action.endsWith('/extend'))).toBe(false);
  });

  test('the retirement is not put off, and the sunset is', async () => {
    const clientId = await newApp();
    await setDate(system.bridge.context, 'retirement', dayIn(60));
    await setDate(system.bridge.context, 'sunset', dayIn(90));
    const refused = await extend(clientId, 'retirement', dayIn(70));
    expectRefused(refused, /More time until the retirement changes no call here\./);
    expect(await changesOf(clientId)).toBe(0);
    expect(wordsOf(await sam.get(at(`/apps/${clientId}`)))).not.toMatch(
      /more time until|was given more time/,
    );
    expect((await extend(clientId, 'sunset', dayIn(100))).location).toContain('done=extended');
  });

  test('one of an earlier version says nowhere that the app has more time', async () => {
    await setDate(system.bridge.context, 'retirement', dayIn(2));
    await keepExtension(system, { until: clock.now() + 5 * DAY, reason: 'the season' });
    await system.bridge.context.lifecycle.refresh();
    const desk = await sam.get(at('/desks/extensions'));
    expect(linesOf(desk)).toEqual([expect.stringContaining('The retirement changes no call here')]);
    const [, app = ''] = /href="\/support(\/apps\/\w+)"/.exec(desk.body) ?? [];
    const page = wordsOf(await sam.get(at(app)));
    expect(page).toContain('no more time The retirement changes no call here');
    expect(page).not.toContain('This app was given more time');
  });
});

describe('where an old API is behind the bridge', () => {
  beforeAll(async () => {
    system = await startSystem({ clock, env: { LEGACY_BACKEND_URL: 'http://127.0.0.1:9' } });
    sam = await staffBrowser(system, 'lead');
  });
  afterAll(() => system.stop());
  beforeEach(forget);

  test('a date that is not set, or comes later for all, is not put off', async () => {
    const clientId = await newApp();
    await setDate(system.bridge.context, 'sunset', dayIn(90));
    expectRefused(await extend(clientId, 'retirement', dayIn(70)), /No retirement is set for all/);
    await setDate(system.bridge.context, 'retirement', dayIn(60));
    for (const days of [59, 60])
      expectRefused(
        await extend(clientId, 'retirement', dayIn(days)),
        /The retirement of all comes at 2027-01-21T00:00:00Z.*no more time/,
      );
    expect(await changesOf(clientId)).toBe(0);
  });

  test('the retirement is not put off where the sunset has come first already', async () => {
    const clientId = await newApp();
    await setDate(system.bridge.context, 'retirement', dayIn(60));
    await setDate(system.bridge.context, 'sunset', dayIn(70));
    const told = await extend(clientId, 'retirement', dayIn(80));
    expect(told.location).toContain('done=extended-not-in-full');
    expectRefused(
      await extend(clientId, 'retirement', dayIn(85)),
      /The sunset comes first for this app, at 2027-01-31/,
    );
    expect(await changesOf(clientId)).toBe(2);
  });

  test('a later sunset that is given in full is not called less than was entered', async () => {
    const clientId = await newApp();
    await setDate(system.bridge.context, 'retirement', dayIn(60));
    await setDate(system.bridge.context, 'sunset', dayIn(70));
    await extend(clientId, 'retirement', dayIn(100));
    const told = await extend(clientId, 'sunset', dayIn(80));
    expect(told.location).toMatch(/done=extended(?!-)/);
  });

  test('the page of its end says what ends at once, and ends it', async () => {
    const clientId = await newApp();
    await setDate(system.bridge.context, 'retirement', dayIn(-20));
    await extend(clientId, 'retirement', dayIn(80));
    const unextend = at(`/apps/${clientId}/unextend`);
    expect(wordsOf(await sam.get(unextend))).toContain('If that date is past, its calls are refused');
    expect((await act(sam, unextend)).location).toContain('done=extension-ended');
  });

  test('the same day once more is refused with why, and less time is not called more', async () => {
    const clientId = await newApp();
    await setDate(system.bridge.context, 'retirement', dayIn(60));
    expect((await extend(clientId, 'retirement', dayIn(80))).location).toContain('done=extended');
    expectRefused(await extend(clientId, 'retirement', dayIn(80)), /until 2027-02-10T00:00:00Z already/);
    expect(await changesOf(clientId)).toBe(2);
    const shorter = await extend(clientId, 'retirement', dayIn(70));
    expect(shorter.location).toContain('done=extension-shortened');
    expect(wordsOf(await sam.get(`${system.bridgeUrl}${shorter.location}`))).toContain(
      'The app has less extra time than before',
    );
  });
});
