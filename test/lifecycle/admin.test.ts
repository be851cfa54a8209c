import type { Context } from '../../src/domain/context.ts';
import { ChangeRefused } from '../../src/domain/lifecycle/changes/change-rules.ts';
import { describeLifecycle } from '../../src/domain/lifecycle/changes/describe.ts';
import { endExemption, exemptApp } from '../../src/domain/lifecycle/changes/exempt-app.ts';
import { endExtension, extendApp } from '../../src/domain/lifecycle/changes/extend-app.ts';
import { planBrownout, removeBrownout } from '../../src/domain/lifecycle/changes/plan-brownout.ts';
import { rehearsalsOf, startRehearsal, stopRehearsal } from '../../src/domain/lifecycle/changes/rehearse.ts';
import { setDateOf } from '../../src/domain/lifecycle/changes/set-date.ts';
import { registerLegacyApp } from '../support/bridge/register-app.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { type AdminBridge, startAdminBridge } from './support/admin-bridge.ts';

/** Dates, extensions, exemptions, brownouts and rehearsals: what changes them, what is refused, and what the history says. */

const START = Date.parse('2027-01-01T00:00:00Z');
const [SECOND, HOUR, DAY] = [1000, 3_600_000, 86_400_000];
const BY = { actor: 'command', reason: 'because' };
const clock = new SettableClock(START);

let admin: AdminBridge;
let context: Context;
let clientId: string;
/** Entries of earlier tests. */
let known: number;

const news = async () => (await admin.history()).slice(known);
const current = () => context.lifecycle.current();
const set = (name: 'deprecation' | 'retirement' | 'sunset', at: number | undefined, isForced = false) =>
  setDateOf(context, { name, at, isForced, ...BY });
const plan = (from: number, to: number, changes: Partial<Parameters<typeof planBrownout>[1]> = {}) =>
  planBrownout(context, {
    rehearses: 'retirement',
    startsAt: START + from,
    endsAt: START + to,
    text: 'We rehearse.',
    actor: 'command',
    ...changes,
  });

/** Refused in words, with nothing changed and nothing told by the history. */
async function expectRefusal(work: () => Promise<unknown>, words: RegExp): Promise<void> {
  const before = current();
  const failure = await work().then(
    () => 'done',
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(ChangeRefused);
  expect((failure as Error).message).toMatch(words);
  await context.lifecycle.refresh();
  expect(current()).toEqual(before);
}

beforeAll(async () => {
  // Nobody asks it; while it is there, a retirement changes how calls are answered.
  admin = await startAdminBridge({ clock, env: { LEGACY_BACKEND_URL: 'http://127.0.0.1:9' } });
  context = admin.bridge.context;
  clientId = (await registerLegacyApp(admin.bridge, 'https://old-app.example/callback')).clientId;
});
afterAll(() => admin.stop());
beforeEach(async () => {
  clock.set(START);
  for (const table of ['lifecycle_dates', 'extensions', 'brownouts', 'brownout_exemptions'] as const)
    await context.store.durable.deleteFrom(table).execute();
  await context.lifecycle.refresh();
  known = (await admin.history()).length;
});

test('a date is set, moved and unset, each with its entry; the same once more is no change', async () => {
  expect(await set('retirement', START + DAY)).toMatchObject({ isChanged: true, before: undefined });
  expect(await set('retirement', START + DAY)).toMatchObject({ isChanged: false, before: START + DAY });
  expect(current().dates).toEqual({ retirement: START + DAY });
  await set('retirement', START + 2 * DAY);
  await set('retirement', undefined);
  expect(await set('retirement', undefined)).toMatchObject({ isChanged: false });
  expect(current().dates).toEqual({});
  expect(await news()).toEqual([
    'command date_set retirement: 2027-01-02T00:00:00Z, was not set; because',
    'command date_set retirement: 2027-01-03T00:00:00Z, was 2027-01-02T00:00:00Z; because',
    'command date_set retirement: not set, was 2027-01-03T00:00:00Z; because',
  ]);
});

test('a sunset before the deprecation is refused either way round, and so is a date that would end everything at once', async () => {
  await set('deprecation', START + 5 * DAY);
  await expectRefusal(() => set('sunset', START + 5 * DAY - 1), /must not be before the deprecation/);
  await expectRefusal(() => set('sunset', START + 5 * DAY - 1, true), /must not be before the deprecation/);
  await set('sunset', START + 5 * DAY);
  await expectRefusal(() => set('deprecation', START + 5 * DAY + 1), /must not be before the deprecation/);
  await expectRefusal(() => set('retirement', START + 2 * SECOND - 1), /at once.*--force/);
  await set('deprecation', undefined);
  await expectRefusal(() => set('sunset', START - DAY), /every old address at once/);
  await expect(
    setDateOf(context, { name: 'sunset', at: START + DAY, actor: 'x', reason: ' ' }),
  ).rejects.toThrow(/reason/);
  expect(await news()).toHaveLength(3);
  expect(await set('retirement', START - DAY, true)).toMatchObject({ isChanged: true });
  expect(await set('deprecation', START - DAY)).toMatchObject({ isChanged: true });
});

const extend = (until: number, name: 'retirement' | 'sunset' = 'retirement') =>
  extendApp(context, { clientId, name, until, ...BY });

test('what the sunset ends before a retirement is said, whichever of them moves', async () => {
  const said = { warnings: [expect.stringContaining('comes first for this app, at 2027-01-04T00:00:00Z')] };
  await set('retirement', START + 2 * DAY);
  expect(await set('sunset', START + 3 * DAY)).toMatchObject({ sunsetFirst: { isCommon: false, apps: 0 } });
  expect(await extend(START + 4 * DAY, 'retirement')).toMatchObject(said);
  expect(await extend(START + 5 * DAY, 'sunset')).toMatchObject({ warnings: [] });
  expect(await set('retirement', START + 6 * DAY)).toMatchObject({
    sunsetFirst: { isCommon: true, apps: 1 },
  });
  expect(await set('sunset', START + 7 * DAY)).toMatchObject({ sunsetFirst: { isCommon: false, apps: 0 } });
});

const EXTENDED = { deed: expect.stringMatching(/^[0-9a-f]{24}$/) as string, isShorter: false, warnings: [] };

test('an app has one extension for a milestone; what would give no more time is refused', async () => {
  await expectRefusal(() => extend(START + DAY), /No retirement is set/);
  await set('retirement', START + DAY);
  expect(await extend(START + 2 * DAY)).toEqual({ ...EXTENDED, before: undefined });
  await set('retirement', START + 2 * DAY);
  await expectRefusal(() => extend(START + 2 * DAY - SECOND), /gives no more time/);
  expect(await extend(START + 3 * DAY)).toEqual({ ...EXTENDED, before: START + 2 * DAY });
  await expectRefusal(() => extend(START + 9 * DAY, 'sunset'), /No sunset is set/);
  await set('sunset', START + 8 * DAY);
  await extend(START + 9 * DAY, 'sunset');
  expect(current().extensions.get(clientId)).toEqual({
    retirement: START + 3 * DAY,
    sunset: START + 9 * DAY,
  });
  expect(await set('retirement', START + 2.5 * DAY)).toMatchObject({ extensions: 1 });
  const [end, endOther] = [{ clientId, name: 'retirement', ...BY } as const, { clientId: 'x', ...BY }];
  await expectRefusal(() => extend(START), /is past/);
  await expectRefusal(() => extendApp(context, { ...end, until: START + DAY, clientId: 'x' }), /No app/);
  expect(await endExtension(context, end)).toEqual({ before: START + 3 * DAY });
  expect(current().extensions.get(clientId)).toEqual({ sunset: START + 9 * DAY });
  await expectRefusal(() => endExtension(context, end), /no more time/);
  await expectRefusal(() => endExtension(context, { ...endOther, name: 'sunset' }), /No app/);
  const told = (await news()).filter((line) => !line.includes('date_set'));
  expect(told).toEqual([
    `command app_extended ${clientId} retirement: until 2027-01-03T00:00:00Z; because`,
    `command app_extended ${clientId} retirement: until 2027-01-04T00:00:00Z, was 2027-01-03T00:00:00Z; because`,
    `command app_extended ${clientId} sunset: until 2027-01-10T00:00:00Z; because`,
    `command extension_ended ${clientId} retirement: the extension until 2027-01-04T00:00:00Z is ended; because`,
  ]);
});

test('a brownout is planned, taken back, ended while it runs, and listed for 90 days', async () => {
  await set('retirement', START + 60 * DAY);
  const [first, second] = [await plan(HOUR, 2 * HOUR), await plan(2 * HOUR, 3 * HOUR)];
  expect(current().brownouts.map(({ id }) => id)).toEqual([first.id, second.id]);
  expect(await removeBrownout(context, { id: first.id, actor: 'command' })).toEqual({ hadBegun: false });
  clock.set(START + 2.5 * HOUR);
  const states = async () => (await describeLifecycle(context)).brownouts.map(({ state }) => state);
  expect(await states()).toEqual(['cancelled', 'running']);
  expect(await removeBrownout(context, { id: second.id, actor: 'command' })).toEqual({ hadBegun: true });
  expect(current().brownouts).toEqual([]);
  const { brownouts } = await describeLifecycle(context);
  expect(brownouts[1]).toMatchObject({ state: 'over', endsAt: START + 2.5 * HOUR });
  await expectRefusal(() => removeBrownout(context, { id: second.id, actor: 'command' }), /over already/);
  await expectRefusal(() => removeBrownout(context, { id: 'x', actor: 'command' }), /No brownout/);
  clock.set(START + 90 * DAY + 2.5 * HOUR);
  expect(await states()).toEqual(['over']);
  expect((await news()).slice(1)).toEqual([
    `command brownout_planned brownout ${first.id} of the retirement, from 2027-01-01T01:00:00Z to 2027-01-01T02:00:00Z; We rehearse.`,
    `command brownout_planned brownout ${second.id} of the retirement, from 2027-01-01T02:00:00Z to 2027-01-01T03:00:00Z; We rehearse.`,
    `command brownout_removed brownout ${first.id} of the retirement, from 2027-01-01T01:00:00Z to 2027-01-01T02:00:00Z: taken back before it began`,
    `command brownout_removed brownout ${second.id} of the retirement, from 2027-01-01T02:00:00Z to 2027-01-01T03:00:00Z: ended while it ran`,
  ]);
});

test('a brownout that nobody could know of, that does not end, or that rehearses nothing is refused', async () => {
  await expectRefusal(() => plan(HOUR, 2 * HOUR), /No retirement is set/);
  await set('retirement', START + 20 * DAY);
  await set('sunset', START + 20 * DAY);
  await plan(DAY, DAY + HOUR);
  await expectRefusal(() => plan(2 * SECOND - 1, HOUR), /two seconds ahead/);
  await expectRefusal(() => plan(HOUR, HOUR), /end after it begins/);
  await expectRefusal(() => plan(HOUR, HOUR + 7 * DAY + 1), /seven days/);
  await expectRefusal(() => plan(20 * DAY - HOUR, 20 * DAY + 1), /comes before its end/);
  await expectRefusal(() => plan(DAY + HOUR - 1, DAY + 2 * HOUR), /stands there already/);
  for (const text of ['', ' ', 'two\nlines', 'x'.repeat(301), 'turned \u202e round'])
    await expectRefusal(() => plan(HOUR, 2 * HOUR, { text }), /The text/);
  await plan(20 * DAY - HOUR, 20 * DAY, { text: 'é'.repeat(300) });
  await plan(DAY, DAY + HOUR, { rehearses: 'sunset' });
  expect(await set('retirement', START + 20 * DAY - 1)).toMatchObject({ idleBrownouts: 1 });
  expect(await set('retirement', undefined)).toMatchObject({ idleBrownouts: 2 });
  expect((await news()).filter((line) => line.includes('brownout_'))).toHaveLength(3);
});

test('an app is left out of brownouts until a time, and no longer when that is ended', async () => {
  const exempt = (until: number) => exemptApp(context, { clientId, until, ...BY });
  expect(await exempt(START + DAY)).toEqual({ before: undefined });
  expect(await exempt(START + 2 * DAY)).toEqual({ before: START + DAY });
  expect(current().exemptions.get(clientId)).toBe(START + 2 * DAY);
  await expectRefusal(() => exempt(START), /is past/);
  await expectRefusal(() => exemptApp(context, { clientId: 'x', until: START + 1, ...BY }), /No app/);
  await endExemption(context, { clientId, ...BY });
  expect(current().exemptions.size).toBe(0);
  await expectRefusal(() => endExemption(context, { clientId, ...BY }), /not exempt/);
  expect((await news()).map((line) => line.split(' ')[1])).toEqual([
    'exemption_granted',
    'exemption_granted',
    'exemption_ended',
  ]);
});

describe('a rehearsal', () => {
  const owner = { actor: 'account:1', requestId: 'r1' };
  const start = (rehearses: 'retirement' | 'sunset' = 'retirement') =>
    startRehearsal(context, { clientId, rehearses, ...owner });
  const stop = () => stopRehearsal(context, { clientId, ...owner });

  test('of several that are begun at once one runs, which ends by itself', async () => {
    const begun = await Promise.allSettled([start(), start('sunset'), start()]);
    const failed = begun.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
    expect(failed).toEqual(Array(2).fill(expect.stringMatching(/runs already/)));
    const { running } = await rehearsalsOf(context, clientId);
    expect(running).toMatchObject({ startsAt: START + 2 * SECOND, endsAt: START + 302 * SECOND });
    expect(current().brownouts).toMatchObject([{ id: running?.id, clientId, endsAt: START + 302 * SECOND }]);
    clock.set(START + 302 * SECOND - 1);
    await expectRefusal(start, /runs already/);
    clock.set(START + 302 * SECOND);
    expect((await rehearsalsOf(context, clientId)).running).toBeUndefined();
    await start();
    expect(await stop()).toBe(true);
    expect(await stop()).toBe(false);
    expect(current().brownouts).toEqual([]);
    expect((await news()).map((line) => line.split(' ').slice(0, 3))).toEqual([
      ['account:1', 'rehearsal_started', clientId],
      ['account:1', 'rehearsal_started', clientId],
      ['account:1', 'rehearsal_stopped', clientId],
    ]);
    expect((await describeLifecycle(context)).brownouts).toEqual([]);
  });

  test('shows what failed, and the last five that are over', async () => {
    for (const hour of [1, 2, 3, 4, 5, 6, 7]) {
      clock.set(START + hour * HOUR);
      const { id } = await start();
      const call = { endpoint: '/1/user.json', carrier: 'header', userAgent: 'old/1', status: 401 } as const;
      for (let n = 0; n < hour; n += 1) context.usage.note({ ...call, mappingId: `rehearsal:${id}` });
    }
    const { running, past } = await rehearsalsOf(context, clientId);
    expect(running?.failed).toMatchObject({ calls: 7, userAgents: ['old/1'] });
    expect(past.map(({ failed }) => failed?.calls)).toEqual([6, 5, 4, 3, 2]);
    clock.set(START + 7 * HOUR + SECOND);
    await stop();
    const [last] = (await rehearsalsOf(context, clientId)).past;
    expect(last).toMatchObject({
      startsAt: START + 7 * HOUR + 2 * SECOND,
      endsAt: START + 7 * HOUR + 2 * SECOND,
    });
  });

  test('is not begun once there is nothing left to rehearse, unless the app has more time', async () => {
    await set('retirement', START - DAY, true);
    await expectRefusal(start, /The retirement has come/);
    await extendApp(context, { clientId, name: 'retirement', until: START + DAY, ...BY });
    await start();
    await stop();
    await set('sunset', START - DAY, true);
    await expectRefusal(start, /The sunset has come/);
    await expectRefusal(
      () => startRehearsal(context, { clientId: 'x', rehearses: 'sunset', ...owner }),
      /No app/,
    );
  });
});
