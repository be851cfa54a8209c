import type { Context } from '../../../src/domain/context.ts';
import { planReminders } from '../../../src/domain/reminders/plan-reminders.ts';
import { DAY } from '../../../src/shared/lifetimes.ts';
import { listMailsTo } from '../../../src/store/support/support-pair.ts';
import { databaseKinds } from '../../store/support/stores.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import {
  addAccount,
  addApp,
  addToken,
  emptyGround,
  endExtension,
  extend,
  type Ground,
  openGround,
  readLedger,
  sendAll,
  setDate,
} from '../support/planning-ground.ts';

/** The ledger where a date moves away and back, or comes back to an app after it was past. */

describe.each(databaseKinds)('on %s', (kind) => {
  const clock = new SettableClock();
  let ground: Ground;
  let one: Context;
  let two: Context;
  let account: string;
  let app: string;

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
    account = await addAccount(one, { email: 'ann@example.org' });
    app = await addApp(one, { ownerEmail: 'far@example.org' });
    await addToken(one, app, { account_id: account });
  });

  /** Both look at once, and again; what they made is sent. */
  async function tell(): Promise<number> {
    await two.lifecycle.refresh();
    const made = await Promise.all([planReminders(one), planReminders(two)]);
    const all = made[0] + made[1] + (await planReminders(one));
    await sendAll(one);
    return all;
  }

  /** What the ledger has for the holder. */
  const told = async () =>
    (await readLedger(one))
      .filter((line) => line.includes(`account:${account}`))
      .map((line) => line.replace(` account:${account} ${app} holder`, ''));

  test('a date that moves away and back is told again, once, and each mail stays listed', async () => {
    expect(await tell()).toBe(2);
    clock.advance(DAY);
    await extend(one, app, '2027-05-01');
    expect(await tell()).toBe(2);
    clock.advance(DAY);
    await endExtension(one, app);
    expect(await tell()).toBe(2);
    for (let days = 0; days < 3; days += 1) {
      clock.advance(DAY);
      expect(await tell()).toBe(0);
    }
    const all = [
      '2027-01-02 30 retirement:2027-02-01',
      '2027-01-03 180 retirement:2027-05-01',
      '2027-01-04 30 retirement:2027-02-01',
    ];
    expect(await told()).toEqual(all);
    const people = [`account:${account}`];
    for (const query of [{ people }, { people, clientId: app }]) {
      const mails = await listMailsTo(one.store.durable, query, 20);
      expect(mails.map(({ stage, planned_for, state }) => [stage, planned_for, state])).toEqual(
        all.toReversed().map((line) => [...line.split(' ').slice(1), 'sent']),
      );
    }
  });

  test('as often as it moves, and with the stage that has come by then', async () => {
    await tell();
    for (const [days, stage] of [
      [5, '30'],
      [9, '14'],
      [10, '3'],
    ] as const) {
      clock.advance(DAY);
      await setDate(one, 'retirement', '2027-06-01');
      await tell();
      clock.advance(days * DAY);
      await setDate(one, 'retirement', '2027-02-01');
      await tell();
      expect((await told()).at(-1)).toMatch(new RegExp(` ${stage} retirement:2027-02-01$`));
    }
  });

  test('the other date, another app and another person are told nothing again', async () => {
    const other = await addApp(one);
    await addToken(one, other, { account_id: account });
    await addToken(one, app, { account_email: 'bob@example.org' });
    await setDate(one, 'sunset', '2027-02-10');
    expect(await tell()).toBe(3);
    const ledger = await readLedger(one);
    clock.advance(DAY);
    await one.store.durable
      .updateTable('mappings')
      .set({ state: 'active' })
      .where('client_id', '=', app)
      .execute();
    await setDate(one, 'retirement', '2027-02-05');
    await tell();
    const added = (await readLedger(one)).filter((line) => !ledger.includes(line));
    expect(added).toEqual([`2027-01-03 account:${account} ${other} holder 60 retirement:2027-02-05`]);
    const outdated = await one.store.durable
      .selectFrom('reminders')
      .select(['person', 'client_id', 'planned_for'])
      .where('outdated_at', '<>', 0)
      .execute();
    expect(outdated).toEqual([
      { person: `account:${account}`, client_id: other, planned_for: 'retirement:2027-02-01' },
    ]);
  });

  test('an extension that ends after the date of all is told of, once', async () => {
    await extend(one, app, '2027-05-01');
    clock.set('2027-03-01T06:00:00Z');
    await one.store.durable.updateTable('mappings').set({ last_used_at: clock.now() }).execute();
    await endExtension(one, app);
    clock.set('2027-03-01T09:00:00Z');
    expect(await tell()).toBe(2);
    expect(await told()).toEqual(['2027-03-01 0 retirement:2027-02-01']);
    clock.advance(DAY);
    expect(await tell()).toBe(0);
  });

  test('to end an extension whose time is over tells nobody', async () => {
    await extend(one, app, '2027-05-01');
    clock.set('2027-05-20T06:00:00Z');
    await one.store.durable.updateTable('mappings').set({ last_used_at: clock.now() }).execute();
    await endExtension(one, app);
    clock.set('2027-05-20T09:00:00Z');
    expect(await tell()).toBe(0);
  });
});
