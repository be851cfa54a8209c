import type { Context } from '../../src/domain/context.ts';
import { deliverReminders } from '../../src/domain/reminders/deliver.ts';
import { listUndeliverable } from '../../src/domain/reminders/deliver-undeliverable.ts';
import { planReminders } from '../../src/domain/reminders/plan-reminders.ts';
import { DAY, MINUTE } from '../../src/shared/lifetimes.ts';
import { insertStopped } from '../../src/store/reminders/stopped-addresses.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import type { SmtpDoor } from '../support/servers/smtp-server.ts';
import { modeDatabases } from '../support/jest/test-mode.ts';
import { addHolder, yesterdayNoon, type MailedGround, openMailedGround } from './support/delivery-ground.ts';
import { addAccount, addApp, addDeadGrant, addToken } from './support/planning-ground.ts';

/** What was put off wakes nobody, and who has no address is looked for again; over real SMTP. */

describe.each(modeDatabases)('on %s', (kind) => {
  let opened: MailedGround;
  let door: SmtpDoor;
  let clock: SettableClock;
  let context: Context;
  beforeEach(async () => {
    opened = await openMailedGround(kind);
    ({ door, clock, context } = opened);
  });
  afterEach(() => opened.close());

  /** A time of today, in hours of UTC. */
  const todayAt = (hours: number) => clock.set(yesterdayNoon() + (12 + hours) * 60 * MINUTE);

  test('what was put off into the night leaves in the morning, as the one mail of its day', async () => {
    const account = await addHolder(context, 'sleeps@box.example');
    await planReminders(context);
    door.isAway = true;
    expect(await deliverReminders(context)).toMatchObject({ putOff: 1 });
    door.isAway = false;
    todayAt(2.5);
    expect(await deliverReminders(context)).toMatchObject({ putOff: 1 });
    const { durable } = context.store;
    const mail = await durable.selectFrom('mails').selectAll().executeTakeFirstOrThrow();
    todayAt(9);
    expect(mail).toMatchObject({ state: 'due', attempts: 1, next_at: clock.now() });
    clock.advance(-1);
    expect(await deliverReminders(context)).toMatchObject({ sent: 0, putOff: 0 });
    clock.advance(1);
    expect(await deliverReminders(context)).toMatchObject({ sent: 1 });
    await addToken(context, await addApp(context), { account_id: account });
    clock.advance(6 * 60 * MINUTE);
    expect(await planReminders(context)).toBe(0);
    clock.advance(DAY);
    expect(await planReminders(context)).toBe(1);
  });

  test('what happened this very day leaves in the night', async () => {
    todayAt(2);
    const accountId = await addAccount(context, { email: 'urgent@box.example' });
    const clientId = await addApp(context);
    const grant_id = await addDeadGrant(context, { clientId, accountId, cause: 'refused' });
    await addToken(context, clientId, { account_id: accountId, grant_id, state: 'reauthorization_required' });
    await planReminders(context);
    door.isAway = true;
    expect(await deliverReminders(context)).toMatchObject({ putOff: 1 });
    door.isAway = false;
    todayAt(4);
    expect(await deliverReminders(context)).toMatchObject({ sent: 1 });
  });

  test('an owner of whom no address is known: the contact is told, and where there is none, support', async () => {
    const [owner, lone] = [await addAccount(context), await addAccount(context)];
    const [app, other] = [
      await addApp(context, { owner, name: 'Owned' }),
      await addApp(context, { owner: lone }),
    ];
    for (const clientId of [app, other])
      await addToken(context, clientId, { legacy_account_id: `of-${clientId}` });
    const contact = { client_id: app, address: 'contact@box.example' };
    await context.store.durable.insertInto('app_contacts').values(contact).execute();
    expect(await planReminders(context)).toBe(2);
    expect(await deliverReminders(context)).toMatchObject({ passedOn: 1, sent: 1, undeliverable: 1 });
    expect(door.mails.flatMap(({ to }) => to)).toEqual(['contact@box.example']);
    expect((await listUndeliverable(context)).mails.map(({ person, failure }) => [person, failure])).toEqual([
      [`account:${lone}`, 'no address is known'],
    ]);
    clock.advance(DAY);
    expect(await planReminders(context)).toBe(0);
  });

  test('support is told of an address whose reader stopped the mails, and of one that is none', async () => {
    const stopped = await addAccount(context, { email: 'Stopped@box.example' });
    const malformed = await addAccount(context, { email: 'nobody at home' });
    const clientId = await addApp(context);
    for (const account_id of [stopped, malformed]) await addToken(context, clientId, { account_id });
    expect(await planReminders(context)).toBe(2);
    const { durable } = context.store;
    const person = `account:${stopped}`;
    const mail = durable.selectFrom('mails').select('id').where('person', '=', person);
    const { id: mailId } = await mail.executeTakeFirstOrThrow();
    await insertStopped(durable, { address: 'stopped@box.example', mailId, now: clock.now() });
    expect(await deliverReminders(context)).toMatchObject({ sent: 0, undeliverable: 2 });
    const kept = await durable
      .selectFrom('mails')
      .select(['person', 'address', 'failure'])
      .where('state', '=', 'undeliverable')
      .execute();
    expect(Object.fromEntries(kept.map((row) => [row.person, [row.address, row.failure]]))).toEqual({
      [person]: ['stopped@box.example', 'the address wants no reminders'],
      [`account:${malformed}`]: ['nobody at home', 'the address is not usable'],
    });
  });
});
