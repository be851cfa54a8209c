import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../../src/domain/context.ts';
import { createOldBackend } from '../../src/upstream/old-backend.ts';
import { noteLastUse } from '../../src/domain/reminders/note-last-use.ts';
import { planReminders } from '../../src/domain/reminders/plan-reminders.ts';
import { dayOf } from '../../src/shared/moments.ts';
import { DAY, MINUTE } from '../../src/shared/lifetimes.ts';
import { keepLastUses } from '../../src/store/usage/last-use.ts';
import { addUsage } from '../../src/store/usage/usage.ts';
import { databaseKinds } from '../store/support/stores.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import {
  addAccount,
  addApp,
  addToken,
  changeToken,
  emptyGround,
  type Ground,
  openGround,
  previewAll,
  readLedger,
  readToken,
  sendAll,
  setDate,
} from './support/planning-ground.ts';

/** The last use of a token is kept to the day where no crash loses it, and what wakes is told of. */

interface Call {
  endpoint?: string;
  outcome?: string;
}

/** Of a use that was neither served nor answered. */
const NEITHER = { passed_at: null, served_at: null };

function useAt(
  { store }: Context,
  mappingId: string,
  at: number,
  { endpoint = '/1/user.json', outcome = 'ok' }: Call = {},
): Promise<void> {
  const call = { endpoint, carrier: 'header', user_agent: 'test', outcome, calls: 1 };
  return addUsage(store, [{ mapping_id: mappingId, day: dayOf(at), ...call, last_at: at }]);
}

describe.each(databaseKinds)('on %s the last use', (kind) => {
  const clock = new SettableClock();
  const daysLater = (days: number) => clock.set(Date.parse('2027-01-02T09:00:00Z') + days * DAY);
  let ground: Ground;
  let one: Context;
  let two: Context;

  beforeAll(async () => {
    ground = await openGround(kind, clock);
    one = await ground.open();
    two = await ground.open();
  });
  afterAll(() => ground.close());

  beforeEach(async () => {
    clock.set('2027-01-02T09:00:00Z');
    await emptyGround(one);
    await setDate(one, 'retirement', '2027-02-01');
  });

  test('is kept to half a day, moves forward only, and wakes what was silent for long', async () => {
    const app = await addApp(one);
    const now = clock.now();
    const recent = await addToken(one, app, { last_used_at: now - 12 * 60 * MINUTE });
    const older = await addToken(one, app, { last_used_at: now - 29 * DAY });
    const silent = await addToken(one, app, { last_used_at: now - 30 * DAY });
    const works = await addToken(one, app, { last_used_at: now - 90 * DAY, state: 'active' });
    const fresh = await addToken(one, app, { last_used_at: null });
    const ahead = await addToken(one, app, { last_used_at: now + DAY });
    const all = [recent, older, silent, works, fresh, ahead];
    for (const id of all) await useAt(one, id, now);
    await Promise.all([noteLastUse(one), noteLastUse(two)]);
    const rows = await Promise.all(all.map((id) => readToken(one, id)));
    expect(rows.map(({ last_used_at }) => (last_used_at ?? 0) - now)).toEqual([
      -12 * 60 * MINUTE,
      0,
      0,
      0,
      0,
      DAY,
    ]);
    expect(rows.map(({ woken_at }) => woken_at)).toEqual([null, null, now, null, null, null]);
  });

  test('is kept by two processes at once, neither of which stands in the way of the other', async () => {
    const app = await addApp(one);
    const tokens = await Promise.all(Array.from({ length: 300 }, () => addToken(one, app)));
    const silences = { keptEvery: 0, silence: DAY, countedSince: 0 };
    for (let day = 1; day <= 20; day += 1) {
      const last_at = clock.now() + day * DAY;
      const uses = tokens.map((id) => ({ day: dayOf(last_at), mapping_id: id, last_at, ...NEITHER }));
      const moved = await Promise.all([
        keepLastUses(one.store.aside, uses, silences),
        keepLastUses(two.store.aside, uses.toReversed(), silences),
      ]);
      expect(moved.reduce((sum, rows) => sum + rows)).toBe(tokens.length);
    }
  });

  test('is kept although somebody else moves the same tokens in another order', async () => {
    const app = await addApp(one);
    const tokens = (await Promise.all(Array.from({ length: 20 }, () => addToken(one, app)))).toSorted();
    const last_at = clock.now() + DAY;
    const uses = tokens.map((id) => ({ day: dayOf(last_at), mapping_id: id, last_at, ...NEITHER }));
    let keeping: Promise<number> | undefined;
    await two.store.transaction(async (tx) => {
      for (const [index, id] of tokens.toReversed().entries()) {
        await tx
          .updateTable('mappings')
          .set({ account_email: 'ann@example.org' })
          .where('id', '=', id)
          .execute();
        if (index === 10) {
          keeping ??= keepLastUses(one.store.aside, uses, { keptEvery: 0, silence: DAY, countedSince: 0 });
          // until it waits for what is locked here
          await delay(100);
        }
      }
    });
    expect(await keeping).toBe(tokens.length);
    const rows = await Promise.all(tokens.map((id) => readToken(one, id)));
    expect(new Set(rows.map((row) => `${row.account_email} ${row.last_used_at}`))).toEqual(
      new Set([`ann@example.org ${last_at}`]),
    );
  });

  test('what was told of a date is known as long as the date is told of, and of what happened for ever', async () => {
    const account_id = await addAccount(one, { email: 'ann@example.org' });
    const [used, unused] = [await addApp(one), await addApp(one)];
    const token = await addToken(one, used, { account_id });
    await addToken(one, unused, { account_id, last_used_at: clock.now() - 90 * DAY });
    const date = Date.parse('2027-02-01T00:00:00Z');
    for (const at of [date - 12 * 60 * MINUTE, date + 10 * 60 * MINUTE]) {
      clock.set(at);
      await changeToken(one, token, { last_used_at: at });
      await planReminders(one);
      await sendAll(one);
    }
    const told = (await readLedger(one)).map((line) => line.split(' ').slice(3).join(' '));
    expect(told.toSorted()).toEqual([
      'holder 0 retirement:2027-02-01',
      'holder 1 retirement:2027-02-01',
      'holder unused',
    ]);
    for (const at of [date + DAY, date + 7 * DAY, date + 7 * DAY + 1, date + 300 * DAY]) {
      clock.set(at);
      expect(await previewAll(one)).toEqual([]);
    }
  });

  test.each([
    ['under its account', 'ann'],
    ['under an address that an account has and has not proven', 'unproven'],
    ['under an address that was proven after the mail', 'proven'],
  ])('of what was told to be unused, %s, wakes it and is told of at once', async (_says, name) => {
    const account_email = `${name}@example.org`;
    const add = () => addAccount(one, { email: account_email.toUpperCase() });
    const account_id = name === 'proven' ? null : await add();
    const app = await addApp(one);
    const holder = name === 'ann' ? { account_id } : { account_email };
    const unused = { last_used_at: null, updated_at: clock.now() - 30 * DAY };
    const token = await addToken(one, app, { ...holder, ...unused });
    expect(await planReminders(one)).toBe(1);
    await sendAll(one);
    if (name === 'proven') await changeToken(one, token, { account_id: await add() });
    clock.advance(DAY - 8 * 60 * MINUTE);
    await useAt(one, token, clock.now());
    expect(await planReminders(one)).toBe(1);
    expect((await readLedger(one)).map((line) => line.split(' ').slice(3).join(' ')).toSorted()).toEqual([
      'holder 30 retirement:2027-02-01',
      'holder unused',
      `holder woken ${clock.now()}`,
    ]);
  });

  test('of what nobody serves wakes nobody, and is a use all the same', async () => {
    const app = await addApp(one);
    const account_id = await addAccount(one, { email: 'ann@example.org' });
    const now = clock.now();
    const silentFor = (days: number) => addToken(one, app, { last_used_at: now - days * DAY });
    const updated_at = now - 60 * DAY;
    const unused = () => addToken(one, app, { account_id, last_used_at: null, updated_at });
    const [nobodys, refused, answered, both] = await Promise.all([60, 60, 60, 60].map(silentFor));
    const [told, toldToo] = [await unused(), await unused()];
    await planReminders(one);
    expect((await readLedger(one)).join()).toContain('holder unused');
    clock.advance(MINUTE);
    const at = clock.now();
    const elsewhere = '/1/analytics.json';
    const calls: Array<[string, Call]> = [
      [nobodys ?? '', { endpoint: elsewhere, outcome: 'other' }],
      [nobodys ?? '', { endpoint: elsewhere, outcome: 'refused' }],
      [nobodys ?? '', { endpoint: 'other', outcome: 'other' }],
      [refused ?? '', { endpoint: '/1/profiles/:id.json', outcome: 'refused' }],
      [answered ?? '', { endpoint: elsewhere }],
      [both ?? '', { endpoint: elsewhere, outcome: 'other' }],
      [both ?? '', { outcome: 'refused' }],
      [told, { endpoint: elsewhere, outcome: 'other' }],
      [toldToo, { outcome: 'refused' }],
    ];
    for (const [token, call] of calls) await useAt(one, token, at, call);
    await noteLastUse(one);
    const all = [nobodys, refused, answered, both, told, toldToo];
    const rows = await Promise.all(all.map((id) => readToken(one, id ?? '')));
    expect(rows.map(({ last_used_at }) => last_used_at)).toEqual(all.map(() => at));
    expect(rows.map(({ woken_at }) => woken_at)).toEqual([null, at, at, at, null, at]);
  });

  test('is found of each day since the last look, however long ago that was', async () => {
    const app = await addApp(one);
    const [first, often] = [await addToken(one, app), await addToken(one, app)];
    await one.store.durable.updateTable('mappings').set({ last_used_at: null }).execute();
    const silent = await addToken(one, app, { last_used_at: clock.now() - 29 * DAY });
    await planReminders(one);
    const days = [1, 2, 3, 4, 5].map((day) => clock.now() + day * DAY);
    for (const at of days) await useAt(one, often, at);
    await useAt(one, first, days[0] ?? 0);
    await useAt(one, silent, days[0] ?? 0);
    await useAt(one, silent, days[1] ?? 0);
    clock.advance(9 * DAY);
    const away = { ...one.store, volatile: one.store.volatile.withSchema('nowhere') };
    await planReminders({ ...one, store: away });
    await planReminders(one);
    const rows = await Promise.all([first, often, silent].map((id) => readToken(one, id)));
    expect(rows.map(({ last_used_at }) => last_used_at)).toEqual([days[0], days[4], days[1]]);
    expect(rows[2]?.woken_at).toBe(days[0]);
  });

  test('of what the old backend alone answers is kept for the app, while there is one', async () => {
    const backed = { ...one, oldBackend: createOldBackend('http://127.0.0.1:9') };
    const owner = await addAccount(one, { email: 'ann@example.org' });
    const [app, other] = [await addApp(one, { owner }), await addApp(one, { owner })];
    const [token, unlike] = [
      await addToken(one, app, { state: 'active' }),
      await addToken(one, other, { state: 'active' }),
    ];
    await useAt(one, unlike, clock.now(), { endpoint: '/1/analytics.json', outcome: 'other' });
    for (const endpoint of ['/1/user.json', '/1/profiles/:id.json', '/user/deauthorize'])
      await useAt(one, unlike, clock.now(), { endpoint });
    await useAt(one, token, clock.now(), { endpoint: '/1/analytics.json' });
    expect(await planReminders(one)).toBe(0);
    expect(await planReminders(backed)).toBe(1);
    expect(await readLedger(one)).toEqual([
      `2027-01-02 account:${owner} ${app} owner 30 retirement:2027-02-01`,
    ]);
    const apps = await one.store.durable.selectFrom('apps').select(['client_id', 'passed_at']).execute();
    expect(Object.fromEntries(apps.map(({ client_id, passed_at }) => [client_id, passed_at]))).toEqual({
      [app]: clock.now(),
      [other]: null,
    });
  });

  test('what was imported just now is not called unused, and a month later it is', async () => {
    await setDate(one, 'retirement', '2027-02-28');
    const owner = await addAccount(one, { email: 'owner@example.org' });
    const app = await addApp(one, { owner });
    await addToken(one, app, { account_email: 'bob@example.org', last_used_at: null });
    expect(await planReminders(one)).toBe(0);
    daysLater(26);
    await addToken(one, app, { account_email: 'bob@example.org', last_used_at: null });
    daysLater(28);
    expect(await planReminders(one)).toBe(2);
    await sendAll(one);
    daysLater(56);
    expect(await planReminders(one)).toBe(2);
    expect((await readLedger(one)).map((line) => line.split(' ').slice(3).join(' ')).toSorted()).toEqual([
      'holder 30 retirement:2027-02-28',
      'holder unused',
      'owner 30 retirement:2027-02-28',
      'owner unused',
    ]);
  });

  test('the token of a registration that nobody ever used is nobody’s concern', async () => {
    const owner = await addAccount(one, { email: 'ann@example.org' });
    const app = await addApp(one, { owner, source: 'registered' });
    const updated_at = clock.now() - 90 * DAY;
    const registered = { account_id: owner, source: 'registration' as const, last_used_at: null, updated_at };
    const token = await addToken(one, app, registered);
    expect(await planReminders(one)).toBe(0);
    await changeToken(one, token, { last_used_at: clock.now() });
    expect(await planReminders(one)).toBe(1);
    expect((await previewAll(one)).length).toBe(0);
    const parts = await readLedger(one);
    expect(parts.map((line) => line.split(' ')[3])).toEqual(['holder', 'owner']);
  });

  test('is that which is known where the uses cannot be read', async () => {
    const account_id = await addAccount(one, { email: 'ann@example.org' });
    await addToken(one, await addApp(one), { account_id });
    const away = { ...one.store, volatile: one.store.volatile.withSchema('nowhere') };
    expect(await planReminders({ ...one, store: away })).toBe(1);
  });
});
