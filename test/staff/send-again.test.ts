import type { Context } from '../../src/domain/context.ts';
import { deliverReminders } from '../../src/domain/reminders/deliver.ts';
import { planReminders } from '../../src/domain/reminders/plan-reminders.ts';
import { sendAgain } from '../../src/domain/support/send-again.ts';
import type { Role } from '../../src/domain/support/send-again-people.ts';
import { DAY, MINUTE } from '../../src/shared/lifetimes.ts';
import {
  addHolder,
  addOwnedApp,
  type DeliveryGround,
  openDeliveryGround,
  readMails,
  setRetirement,
  yesterdayNoon,
} from '../reminders/support/delivery-ground.ts';
import { addAccount, addApp, addToken, changeToken, setDate } from '../reminders/support/planning-ground.ts';
import { createOldBackend } from '../../src/upstream/old-backend.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { type SmtpDoor, startSmtpServer } from '../support/servers/smtp-server.ts';
import { modeDatabases } from '../support/jest/test-mode.ts';

/** A reminder that support has sent once more, up to a real mail server. */

/** All of a mail as a reader sees it, source of the HTML included. */
const wordsOf = ({ raw }: { raw: string }) => raw.replaceAll(/=\r\n/g, '').replaceAll('=3D', '=');

describe.each(modeDatabases)('on %s', (kind) => {
  let door: SmtpDoor;
  let ground: DeliveryGround;
  let clock: SettableClock;
  let context: Context;
  beforeAll(async () => {
    door = await startSmtpServer();
    ground = await openDeliveryGround({ kind, smtpPort: door.port });
    clock = new SettableClock(yesterdayNoon());
    context = await ground.open(clock);
  });
  afterAll(async () => {
    await ground.close();
    await door.close();
  });
  beforeEach(async () => {
    const { durable } = context.store;
    for (const table of ['reminders', 'mails', 'stopped_addresses', 'lifecycle_dates', 'mappings'] as const)
      await durable.deleteFrom(table).execute();
    await setRetirement(context);
    clock.set(yesterdayNoon());
    door.mails.length = 0;
    door.refused.clear();
  });

  const recipients = () => door.mails.flatMap(({ to }) => to);

  const again = (mappingId: string, role: Role = 'holder', asker = context) =>
    sendAgain(asker, { mappingId, role, reason: 'she called', actor: 'account:agent', requestId: 'r1' });

  /** A person with a token that waits. */
  async function holder(email?: string): Promise<{ accountId: string; mappingId: string }> {
    const accountId = await addAccount(context, email === undefined ? {} : { email });
    const clientId = await addApp(context, { name: 'Old app' });
    return { accountId, mappingId: await addToken(context, clientId, { account_id: accountId }) };
  }

  test('it goes out on a day that had its mail, in the night too, and says what stands', async () => {
    const { accountId, mappingId } = await holder('ada@box.example');
    await planReminders(context);
    expect(await deliverReminders(context)).toMatchObject({ sent: 1 });
    clock.advance(14 * 60 * MINUTE);
    expect(await again(mappingId)).toEqual({ outcome: 'asked' });
    expect(await deliverReminders(context)).toMatchObject({ sent: 1, dropped: 0, putOff: 0 });
    expect(recipients()).toEqual(['ada@box.example', 'ada@box.example']);
    const mail = door.mailTo('ada@box.example');
    expect(wordsOf(mail)).toContain('Is refused now: connect it and it works again.');
    expect(wordsOf(mail)).toContain('Why you get this: our support team had it sent to you.');
    expect(wordsOf(mail)).not.toContain('at most one a day');
    expect(wordsOf(mail)).toContain('/apps/connect/');
    const event = await context.store.durable
      .selectFrom('events')
      .selectAll()
      .where('mapping_id', '=', mappingId)
      .executeTakeFirstOrThrow();
    expect(event).toMatchObject({
      action: 'reminder_asked',
      actor: 'account:agent',
      reason: 'to the holder: she called',
      request_id: 'r1',
      account_id: accountId,
    });
  });

  test('it takes nothing from the reminders of the day and of later days', async () => {
    const { mappingId } = await holder('ada@box.example');
    await again(mappingId);
    await deliverReminders(context);
    expect(await planReminders(context)).toBe(1);
    expect(await deliverReminders(context)).toMatchObject({ sent: 1 });
    expect(recipients()).toHaveLength(2);
  });

  test('once an hour at most, also where two ask in the same moment', async () => {
    const { mappingId } = await holder('ada@box.example');
    const other = await ground.open(clock);
    const both = await Promise.all([again(mappingId), again(mappingId, 'holder', other)]);
    expect(both.map(({ outcome }) => outcome).toSorted()).toEqual(['asked', 'on its way']);
    await deliverReminders(context);
    expect(await again(mappingId)).toEqual({ outcome: 'too soon' });
    clock.advance(61 * MINUTE);
    expect(await again(mappingId)).toEqual({ outcome: 'asked' });
    await deliverReminders(context);
    expect(recipients()).toHaveLength(2);
  });

  test('who could not be reached gets it at the address that is known by now', async () => {
    const { accountId, mappingId } = await holder();
    await planReminders(context);
    expect(await deliverReminders(context)).toMatchObject({ undeliverable: 1 });
    expect(await again(mappingId)).toEqual({ outcome: 'no address' });
    const { durable } = context.store;
    await durable
      .updateTable('accounts')
      .set({ email: 'new@box.example' })
      .where('account_id', '=', accountId)
      .execute();
    expect(await again(mappingId)).toEqual({ outcome: 'asked' });
    await durable
      .updateTable('accounts')
      .set({ email: 'newer@box.example' })
      .where('account_id', '=', accountId)
      .execute();
    expect(await deliverReminders(context)).toMatchObject({ sent: 1 });
    expect(recipients()).toEqual(['newer@box.example']);
  });

  test('it is refused where the reader said “not me”, and where nothing waits', async () => {
    const { mappingId } = await holder('ada@box.example');
    const { durable } = context.store;
    await planReminders(context);
    await deliverReminders(context);
    const { id } = await durable.selectFrom('mails').select('id').executeTakeFirstOrThrow();
    const stop = { address: 'ada@box.example', mail_id: id, stopped_at: clock.now() };
    await durable.insertInto('stopped_addresses').values(stop).execute();
    expect(await again(mappingId)).toEqual({ outcome: 'stopped' });
    await durable.deleteFrom('stopped_addresses').execute();
    await changeToken(context, mappingId, { state: 'active' });
    expect(await again(mappingId)).toEqual({ outcome: 'nothing waits' });
    expect(await readMails(context)).toHaveLength(1);
  });

  test('it is not sent any more to whoever has acted meanwhile', async () => {
    const { mappingId } = await holder('ada@box.example');
    await again(mappingId);
    await changeToken(context, mappingId, { state: 'active' });
    expect(await deliverReminders(context)).toMatchObject({ sent: 0, dropped: 1 });
    expect(recipients()).toEqual([]);
    await changeToken(context, mappingId, { state: 'unmapped' });
    expect(await again(mappingId)).toEqual({ outcome: 'asked' });
  });

  test('the owner of the app gets what concerns the users; a refusal goes on to a contact', async () => {
    const clientId = await addOwnedApp(context, {
      owner: 'owner@box.example',
      contacts: ['help@box.example'],
    });
    await addHolder(context, 'user@box.example', clientId);
    const { id } = await context.store.durable
      .selectFrom('mappings')
      .select('id')
      .where('client_id', '=', clientId)
      .where('account_id', 'is not', null)
      .executeTakeFirstOrThrow();
    door.refused.add('owner@box.example');
    expect(await again(id, 'owner')).toEqual({ outcome: 'asked' });
    await deliverReminders(context);
    expect(recipients()).toEqual(['help@box.example']);
    expect(wordsOf(door.mailTo('help@box.example'))).toContain('2 tokens');
    expect(await again(id, 'owner')).toEqual({ outcome: 'too soon' });
    expect(await again(id, 'holder')).toEqual({ outcome: 'asked' });
  });

  test('a token that waits under an address brings the link that proves it', async () => {
    const clientId = await addApp(context, { name: 'Old app' });
    const id = await addToken(context, clientId, { account_email: 'only@box.example' });
    expect(await again(id)).toEqual({ outcome: 'asked' });
    await deliverReminders(context);
    expect(recipients()).toEqual(['only@box.example']);
    expect(wordsOf(door.mailTo('only@box.example'))).toMatch(/\/apps\/prove-email\/[\w-]{43}/);
  });

  test('what waits under an address is of the account that has it, and of the app alone that is asked about', async () => {
    const accountId = await addAccount(context, { email: 'Under@box.example' });
    const clientId = await addApp(context, { ownerEmail: 'under@box.example' });
    const id = await addToken(context, clientId, { account_email: 'under@box.example' });
    expect(await again(id)).toEqual({ outcome: 'asked' });
    expect(await again(id, 'owner')).toEqual({ outcome: 'on its way' });
    expect(await readMails(context)).toEqual([`account:${accountId} under@box.example due`]);
  });

  test('a token that nobody ever used since the registration concerns nobody, until another one waits', async () => {
    const clientId = await addApp(context, { ownerEmail: 'owner@box.example' });
    const accountId = await addAccount(context, { email: 'ada@box.example' });
    const unused = { account_id: accountId, source: 'registration', last_used_at: null } as const;
    const id = await addToken(context, clientId, unused);
    await addToken(context, await addApp(context), { account_id: accountId });
    expect(await again(id)).toEqual({ outcome: 'nothing waits' });
    expect(await again(id, 'owner')).toEqual({ outcome: 'nothing waits' });
    await addToken(context, clientId, {});
    expect(await again(id)).toEqual({ outcome: 'nothing waits' });
    expect(await again(id, 'owner')).toEqual({ outcome: 'asked' });
  });

  const moments = [
    { when: 'no date is set', days: undefined, says: 'Is not connected to the new API yet.' },
    { when: 'no stage has come', days: 300, says: 'Stops working in 300 days: on ' },
    { when: 'the date has passed long ago', days: -40, says: 'Has stopped working: the date was ' },
  ];

  test.each(moments)('the mails to both make sense when $when', async ({ days, says }) => {
    const clientId = await addApp(context, { ownerEmail: 'owner@box.example', name: 'Old app' });
    const accountId = await addAccount(context, { email: 'ada@box.example' });
    const mappingId = await addToken(context, clientId, { account_id: accountId });
    await moveRetirement(days);
    const backed = { ...context, oldBackend: createOldBackend('http://127.0.0.1:9') };
    expect(await again(mappingId, 'holder', backed)).toEqual({ outcome: 'asked' });
    expect(await again(mappingId, 'owner', backed)).toEqual({ outcome: 'asked' });
    expect(await deliverReminders(backed)).toMatchObject({ sent: 2 });
    for (const address of ['ada@box.example', 'owner@box.example'])
      expect(wordsOf(door.mailTo(address))).not.toMatch(/\b1970\b|\bundefined\b|\bNaN\b|\bInfinity\b/);
    expect(wordsOf(door.mailTo('ada@box.example'))).toContain(says);
    expect(wordsOf(door.mailTo('ada@box.example'))).toContain('/apps/connect/');
    expect(wordsOf(door.mailTo('owner@box.example'))).toMatch(/1 (?:of|token)/);
  });

  async function moveRetirement(days: number | undefined): Promise<void> {
    const { durable } = context.store;
    await durable.deleteFrom('lifecycle_dates').execute();
    if (days !== undefined)
      await setDate(context, 'retirement', new Date(clock.now() + days * DAY).toISOString());
    await context.lifecycle.refresh();
  }

  test('a bridge that sends no reminders says so', async () => {
    const { mappingId } = await holder('ada@box.example');
    const silent = { ...context, settings: { ...context.settings, sendsReminders: false } };
    expect(await again(mappingId, 'holder', silent)).toEqual({ outcome: 'no mail server' });
    expect(await readMails(context)).toEqual([]);
  });
});
