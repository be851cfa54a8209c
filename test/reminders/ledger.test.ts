import type { Context } from '../../src/domain/context.ts';
import { planReminders, stillDue } from '../../src/domain/reminders/plan-reminders.ts';
import { pinByHand } from '../../src/domain/accounts/pin-by-hand.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { databaseKinds } from '../store/support/stores.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import {
  addAccount,
  addApp,
  addDeadGrant,
  addToken,
  changeToken,
  countMails,
  emptyGround,
  extend,
  type Ground,
  openGround,
  previewAll,
  readLedger,
  sendAll,
  setDate,
} from './support/planning-ground.ts';

/** The ledger on both databases: whoever plans and how often, each reminder stands in it once. */

const START = '2027-01-02T09:00:00Z';

describe.each(databaseKinds)('on %s', (kind) => {
  const clock = new SettableClock();
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
    clock.set(START);
    await emptyGround(one);
    await setDate(one, 'retirement', '2027-02-01');
    await setDate(two, 'retirement', '2027-02-01');
  });

  /** Both look at once, and again. */
  async function planTwice(): Promise<number> {
    const made = await Promise.all([planReminders(one), planReminders(two)]);
    return made[0] + made[1] + (await planReminders(one));
  }

  /** A holder and an owner of three apps, two known by an account and one by an address. */
  async function addPeople() {
    const account = await addAccount(one, {
      email: 'Ann@example.org',
      name: 'Ann',
      timezone: 'Europe/Berlin',
    });
    const owner = await addAccount(one, { email: 'owner@example.org' });
    const app = await addApp(one, { owner, name: 'First' });
    const other = await addApp(one, { ownerEmail: 'far@example.org', name: 'Second' });
    await addToken(one, app, { account_id: account });
    await addToken(one, other, { account_id: account });
    await addToken(one, other, { account_email: 'bob@example.org' });
    return { account, owner, app, other };
  }

  test('two that plan at once, and again, make one mail for each person with all that is due', async () => {
    const { account, owner, app, other } = await addPeople();
    expect(await planTwice()).toBe(4);
    const due = '30 retirement:2027-02-01';
    expect(await readLedger(one)).toEqual(
      [
        `2027-01-02 account:${account} ${app} holder ${due}`,
        `2027-01-02 account:${account} ${other} holder ${due}`,
        `2027-01-02 account:${owner} ${app} owner ${due}`,
        `2027-01-02 email:bob@example.org ${other} holder ${due}`,
        `2027-01-02 email:far@example.org ${other} owner ${due}`,
      ].toSorted(),
    );
    const mails = await one.store.durable.selectFrom('mails').selectAll().orderBy('address').execute();
    expect(
      mails.map(({ address, state, attempts, replaces }) => ({ address, state, attempts, replaces })),
    ).toEqual(
      ['ann', 'bob', 'far', 'owner'].map((name) => ({
        address: `${name}@example.org`,
        state: 'due',
        attempts: 0,
        replaces: '',
      })),
    );
  });

  test('the next stage waits for the next day, and for the last mail to be gone', async () => {
    await addPeople();
    expect(await planTwice()).toBe(4);
    clock.set('2027-01-18T09:00:00Z');
    expect(await planTwice()).toBe(0);
    await sendAll(one);
    expect(await planTwice()).toBe(0);
    clock.advance(DAY);
    expect(await planTwice()).toBe(4);
    clock.advance(DAY);
    await sendAll(one);
    expect(await planTwice()).toBe(0);
    clock.advance(DAY);
    expect(await planTwice()).toBe(0);
    expect(await countMails(one)).toBe(8);
  });

  test('a clock that goes back, and one that was off for weeks, make no second mail', async () => {
    await addPeople();
    clock.set('2027-01-18T09:00:00Z');
    expect(await planTwice()).toBe(4);
    await sendAll(one);
    clock.set('2027-01-05T09:00:00Z');
    expect(await planTwice()).toBe(0);
    clock.set('2027-01-31T10:00:00Z');
    expect(await planTwice()).toBe(4);
    expect((await readLedger(one)).filter((line) => / (7|3) retirement/.test(line))).toEqual([]);
  });

  test('a date that moves and an extension plan anew', async () => {
    const { app, account } = await addPeople();
    await planTwice();
    await sendAll(one);
    clock.advance(DAY);
    await Promise.all([one, two].map((context) => setDate(context, 'retirement', '2027-01-10')));
    expect(await planTwice()).toBe(4);
    await sendAll(one);
    clock.advance(DAY);
    await extend(one, app, '2027-02-25');
    await two.lifecycle.refresh();
    expect(await planTwice()).toBe(2);
    expect(
      (await readLedger(one)).filter((line) => line.endsWith(`${app} holder 60 retirement:2027-02-25`)),
    ).toEqual([`2027-01-04 account:${account} ${app} holder 60 retirement:2027-02-25`]);
  });

  test('what was done in between is gone at the sending, and the rest of the mail stays', async () => {
    const account = await addAccount(one, { email: 'ann@example.org' });
    const [app, other] = [await addApp(one), await addApp(one)];
    const token = await addToken(one, app, { account_id: account });
    const second = await addToken(one, other, { account_id: account });
    await planReminders(one);
    const mail = await one.store.durable.selectFrom('mails').selectAll().executeTakeFirstOrThrow();
    expect(await stillDue(one, mail)).toMatchObject({ due: [{ stage: '30' }, { stage: '30' }], gone: [] });
    await changeToken(one, token, { state: 'active' });
    const [row] = await one.store.durable
      .selectFrom('reminders')
      .select('id')
      .where('client_id', '=', app)
      .execute();
    expect(await stillDue(one, mail)).toMatchObject({ due: [{ clientId: other }], gone: [row?.id] });
    await changeToken(one, second, { state: 'revoked' });
    expect(await stillDue(one, mail)).toBeUndefined();
    clock.set('2027-01-18T10:00:00Z');
    await changeToken(one, token, { state: 'unmapped' });
    expect(await stillDue(one, mail)).toMatchObject({
      due: [],
      gone: [expect.anything(), expect.anything()],
    });
  });

  test('a person of an address becomes one of an account and is not told again', async () => {
    const app = await addApp(one, { ownerEmail: 'bob@example.org' });
    await addToken(one, app, { account_email: 'bob@example.org' });
    expect(await planTwice()).toBe(1);
    const mail = await one.store.durable.selectFrom('mails').selectAll().executeTakeFirstOrThrow();
    await sendAll(one);
    clock.advance(DAY);
    const accountId = await addAccount(one, { email: 'BOB@example.org' });
    expect(await planTwice()).toBe(0);
    const origin = { actor: 'test', requestId: null };
    await pinByHand(one, { email: 'bob@example.org', accountId, how: 'test', ...origin });
    await one.store.durable.updateTable('accounts').set({ email: 'other@example.org' }).execute();
    expect(await planTwice()).toBe(0);
    expect(await stillDue(one, mail)).toBeUndefined();
    clock.set('2027-01-18T10:00:00Z');
    expect(await planTwice()).toBe(1);
    expect((await readLedger(one)).filter((line) => line.includes(`account:${accountId}`))).toHaveLength(2);
  });

  test('what waits under an address is told to the first account of it, in one part with its own', async () => {
    const first = await addAccount(one, { email: 'bob@example.org' });
    await addAccount(one, { email: 'bob@example.org' });
    const app = await addApp(one, { source: 'observed' });
    await addToken(one, app, { account_email: 'bob@example.org' });
    await addToken(one, app, { account_id: first, last_used_at: null });
    const found = await previewAll(one);
    expect(found).toMatchObject([{ person: { id: `account:${first}` }, day: '2027-01-02', isNow: true }]);
    expect(found[0]?.due).toMatchObject([{ part: { role: 'holder', waiting: 2 }, stage: '30' }]);
    expect(await countMails(one)).toBe(0);
  });

  test('retired apps, and unidentified programs for their owners, are nobody’s concern', async () => {
    const owner = await addAccount(one, { email: 'ann@example.org' });
    const retired = await addApp(one, { owner, retired: true });
    const program = await addApp(one, { owner, source: 'observed' });
    await addToken(one, retired, { account_id: owner });
    await addToken(one, program);
    expect(await planTwice()).toBe(0);
  });

  test('who has no address, or wants no mails there, has one mail too, and is planned for nothing twice', async () => {
    const app = await addApp(one);
    const nobody = await addAccount(one);
    const unwilling = await addAccount(one, { email: 'no@example.org' });
    for (const account_id of [nobody, unwilling]) await addToken(one, app, { account_id });
    const mail = {
      id: 'm',
      person: 'x',
      day: '2020-01-01',
      replaces: '',
      attempts: 1,
      next_at: 0,
      created_at: 0,
    };
    await one.store.durable
      .insertInto('mails')
      .values({ ...mail, state: 'sent' })
      .execute();
    await one.store.durable
      .insertInto('stopped_addresses')
      .values({ address: 'no@example.org', mail_id: 'm', stopped_at: 0 })
      .execute();
    expect(await planTwice()).toBe(2);
    const mails = await one.store.durable.selectFrom('mails').selectAll().where('id', '<>', 'm').execute();
    expect(mails.map(({ state, address, ended_at }) => [state, address, ended_at])).toEqual([
      ['due', null, null],
      ['due', null, null],
    ]);
    clock.advance(DAY);
    await sendAll(one);
    expect(await planTwice()).toBe(0);
  });

  test('a mail that leaves a day late is that day’s only one', async () => {
    await addPeople();
    clock.set('2027-01-17T20:00:00Z');
    expect(await planTwice()).toBe(4);
    clock.set('2027-01-18T00:30:00Z');
    await sendAll(one);
    clock.set('2027-01-18T22:59:00Z');
    expect(await planTwice()).toBe(0);
    // It is the next day in Berlin, but not the morning of it.
    clock.set('2027-01-19T00:01:00Z');
    expect(await planTwice()).toBe(0);
    clock.set('2027-01-19T09:00:00Z');
    expect(await planTwice()).toBe(4);
  });

  test('a grant that dies is told of at once, the night through, but not for whom it was ended', async () => {
    clock.set('2027-01-02T02:00:00Z');
    const app = await addApp(one);
    for (const cause of ['refused', 'deauthorized'] as const) {
      const accountId = await addAccount(one, { email: `${cause}@example.org` });
      const grant_id = await addDeadGrant(one, { clientId: app, accountId, cause });
      await addToken(one, app, { account_id: accountId, grant_id, state: 'reauthorization_required' });
    }
    expect(await planTwice()).toBe(1);
    expect((await readLedger(one)).map((line) => line.split(' ').slice(3).join(' '))).toEqual([
      'holder 60 retirement:2027-02-01',
      `holder died ${clock.now()}`,
    ]);
    clock.set('2027-01-02T09:00:00Z');
    expect(await planTwice()).toBe(1);
  });

  test('a restored copy makes none', async () => {
    await addPeople();
    const copy = { ...one, instance: { ...one.instance, why: () => 'a copy' } };
    expect(await planReminders(copy)).toBe(0);
    expect(await countMails(one)).toBe(0);
  });
});
