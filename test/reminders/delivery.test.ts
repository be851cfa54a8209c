import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../src/domain/context.ts';
import { deliverReminders } from '../../src/domain/reminders/deliver.ts';
import { listUndeliverable } from '../../src/domain/reminders/deliver-undeliverable.ts';
import { planReminders } from '../../src/domain/reminders/plan-reminders.ts';
import { DAY, MINUTE } from '../../src/shared/lifetimes.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { header, type SmtpDoor } from '../support/servers/smtp-server.ts';
import { modeDatabases } from '../support/jest/test-mode.ts';
import {
  addHolder,
  addOwnedApp,
  type DeliveryGround,
  openDeliveryGround,
  readMails,
  setRetirement,
  type MailedGround,
  openMailedGround,
} from './support/delivery-ground.ts';
import { addAccount, addApp, addToken, changeToken } from './support/planning-ground.ts';

/** From a mail in the ledger to a mail server, over real SMTP. */

describe.each(modeDatabases)('on %s', (kind) => {
  let opened: MailedGround;
  let door: SmtpDoor;
  let ground: DeliveryGround;
  let clock: SettableClock;
  let context: Context;
  beforeEach(async () => {
    opened = await openMailedGround(kind);
    ({ door, ground, clock, context } = opened);
  });
  afterEach(() => opened.close());

  const recipients = () => door.mails.flatMap(({ to }) => to).toSorted();
  const ids = () => door.mails.map((mail) => header(mail, 'message-id'));

  test('two machines at once send each mail once, each with an id of its own', async () => {
    const other = await ground.open(clock);
    await setRetirement(other);
    const people = Array.from({ length: 20 }, (_, index) => `p${String(index).padStart(2, '0')}@box.example`);
    const app = await addApp(context);
    for (const email of people) await addHolder(context, email, app);
    expect(await planReminders(context)).toBe(20);
    const [one, two] = await Promise.all([deliverReminders(context), deliverReminders(other)]);
    expect(one.sent + two.sent).toBe(20);
    expect(Math.min(one.sent, two.sent)).toBeGreaterThan(0);
    expect(recipients()).toEqual(people);
    expect(new Set(ids()).size).toBe(20);
    for (const id of ids()) expect(id).toMatch(/^<[0-9a-f]{24,32}@bridge\.example>$/);
    expect(await deliverReminders(context)).toMatchObject({ sent: 0 });
    expect(await planReminders(other)).toBe(0);
  });

  test('who acted between planning and sending is not written to; what is left of a mail goes out', async () => {
    const acts = await addAccount(context, { email: 'acts@box.example' });
    const [one, two] = [await addApp(context, { name: 'First' }), await addApp(context, { name: 'Second' })];
    const first = await addToken(context, one, { account_id: acts });
    const second = await addToken(context, two, { account_id: acts });
    await planReminders(context);
    await changeToken(context, first, { state: 'revoked' });
    expect(await deliverReminders(context)).toMatchObject({ sent: 1, dropped: 0 });
    expect(door.mails[0]?.raw).toContain('Second');
    expect(door.mails[0]?.raw).not.toContain('First');
    clock.advance(DAY);
    await addToken(context, await addApp(context), { account_id: acts });
    expect(await planReminders(context)).toBe(1);
    await context.store.durable.updateTable('mappings').set({ state: 'revoked' }).execute();
    expect(second).not.toBe('');
    expect(await deliverReminders(context)).toMatchObject({ sent: 0, dropped: 1 });
    expect(door.mails).toHaveLength(1);
  });

  test('a mail goes to the address that the person has now', async () => {
    const account = await addHolder(context, 'old@box.example');
    await planReminders(context);
    await context.store.durable
      .updateTable('accounts')
      .set({ email: 'new@box.example' })
      .where('account_id', '=', account)
      .execute();
    await deliverReminders(context);
    expect(recipients()).toEqual(['new@box.example']);
    expect(await readMails(context)).toEqual([`account:${account} new@box.example sent`]);
  });

  test('a refused address: the app goes to its next contact, one after the other, then to support', async () => {
    const contacts = ['b@box.example', 'A@box.example', 'c@box.example', 'nonsense'];
    const app = await addOwnedApp(context, { owner: 'owner@box.example', contacts, name: 'Owned' });
    for (const gone of ['owner@box.example', 'a@box.example', 'b@box.example']) door.refused.add(gone);
    await planReminders(context);
    expect(await deliverReminders(context)).toMatchObject({ passedOn: 3, sent: 1, undeliverable: 0 });
    expect(recipients()).toEqual(['c@box.example']);
    expect(await planReminders(context)).toBe(0);
    clock.advance(16 * DAY);
    door.refused.add('c@box.example');
    expect(await planReminders(context)).toBe(1);
    expect(await deliverReminders(context)).toMatchObject({ passedOn: 3, undeliverable: 1, sent: 0 });
    expect((await listUndeliverable(context)).mails).toEqual([
      {
        mailId: expect.any(String),
        person: 'email:owner@box.example',
        day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        at: clock.now(),
        failure: 'the mail server answered 550',
        reminders: [
          {
            clientId: app,
            appName: 'Owned',
            role: 'owner',
            stage: expect.any(String),
            plannedFor: expect.stringMatching(/^retirement:/),
          },
        ],
      },
    ]);
  });

  test('a holder who refuses is for support; the same person’s apps go each to its own contact', async () => {
    const owner = 'both@box.example';
    await addHolder(context, owner);
    const one = await addOwnedApp(context, { owner, contacts: ['one@box.example'], name: 'One' });
    const two = await addOwnedApp(context, { owner, contacts: ['two@box.example'], name: 'Second of both' });
    const lone = await addOwnedApp(context, { owner, name: 'Lone' });
    door.refused.add(owner);
    expect(await planReminders(context)).toBe(1);
    expect(await deliverReminders(context)).toMatchObject({ passedOn: 1, sent: 2 });
    expect(recipients()).toEqual(['one@box.example', 'two@box.example']);
    // Longer than what a random link may hold.
    const bodyTo = (address: string) => door.mailTo(address).raw.replaceAll('=\r\n', '');
    expect(bodyTo('one@box.example')).not.toContain('Second of both');
    expect(bodyTo('two@box.example')).toContain('Second of both');
    const [left, ...more] = (await listUndeliverable(context)).mails;
    expect(more).toEqual([]);
    expect(left?.reminders.map(({ appName, role }) => `${appName} ${role}`)).toEqual([
      'Lone owner',
      'Old app holder',
    ]);
    expect([one, two, lone].every((id) => id !== '')).toBe(true);
    expect(await planReminders(context)).toBe(0);
  });

  test('an address that wants no mails gets none, whoever it belongs to', async () => {
    const contacts = ['stopped@box.example', 'x@box.example'];
    await addOwnedApp(context, { owner: 'owner@box.example', contacts });
    await planReminders(context);
    const mail = await context.store.durable.selectFrom('mails').select('id').executeTakeFirstOrThrow();
    for (const address of ['owner@box.example', 'stopped@box.example'])
      await context.store.durable
        .insertInto('stopped_addresses')
        .values({ address, mail_id: mail.id, stopped_at: clock.now() })
        .execute();
    expect(await deliverReminders(context)).toMatchObject({ passedOn: 1, sent: 1 });
    expect(recipients()).toEqual(['x@box.example']);
  });

  test('what may pass is tried again, less and less often, and after five days counts as refused', async () => {
    await addHolder(context, 'full@box.example');
    door.deferred.add('full@box.example');
    await planReminders(context);
    /** Tries now, as the attempt of this number; answers the minutes until the next. */
    const tryAs = async (attempts: number) => {
      const { durable } = context.store;
      await durable
        .updateTable('mails')
        .set({ attempts: attempts - 1, next_at: clock.now() })
        .execute();
      expect(await deliverReminders(context)).toMatchObject({ putOff: 1 });
      expect(await deliverReminders(context)).toMatchObject({ putOff: 0 });
      const row = await durable.selectFrom('mails').select('next_at').executeTakeFirstOrThrow();
      return (row.next_at - clock.now()) / MINUTE;
    };
    for (const [attempts, minutes] of [
      [1, 1],
      [2, 2],
      [6, 32],
      [9, 240],
      [30, 240],
    ] as const) {
      const wait = await tryAs(attempts);
      expect(wait).toBeGreaterThanOrEqual(0.75 * minutes);
      expect(wait).toBeLessThanOrEqual(1.25 * minutes);
    }
    clock.advance(5 * DAY);
    // A machine that was off has not tried.
    await tryAs(3);
    await context.store.durable.updateTable('mails').set({ attempts: 30, next_at: clock.now() }).execute();
    expect(await deliverReminders(context)).toMatchObject({ undeliverable: 1 });
    expect(await readMails(context)).toEqual([
      expect.stringMatching(/^account:\w+ full@box\.example undeliverable the mail server answered 450$/),
    ]);
  });

  test('a server that is away is waited for, for however long, and counts against nobody', async () => {
    await addHolder(context, 'waits@box.example');
    await planReminders(context);
    door.isAway = true;
    for (let attempt = 0; attempt < 13; attempt += 1) {
      expect(await deliverReminders(context)).toMatchObject({ putOff: 1 });
      clock.advance(10 * 60 * MINUTE);
    }
    expect(await readMails(context)).toEqual([
      expect.stringMatching(/ due the mail server could not be used \(\w+ 421\)$/),
    ]);
    door.isAway = false;
    expect(await deliverReminders(context)).toMatchObject({ sent: 1 });
    expect(recipients()).toEqual(['waits@box.example']);
  });

  test('a claim whose process is gone is taken over when it is over, and not before', async () => {
    await addHolder(context, 'claimed@box.example');
    await planReminders(context);
    await context.store.durable
      .updateTable('mails')
      .set({
        state: 'sending',
        claim_id: 'of-a-dead-process',
        claimed_at: clock.now(),
        next_at: clock.now() + 5 * MINUTE,
      })
      .execute();
    clock.advance(5 * MINUTE - 1);
    expect(await deliverReminders(context)).toMatchObject({ sent: 0 });
    clock.advance(1);
    expect(await deliverReminders(context)).toMatchObject({ sent: 1 });
  });

  test('a restored copy sends nothing', async () => {
    await addHolder(context, 'silent@box.example');
    await planReminders(context);
    await context.store.durable.updateTable('instance').set({ state: 'copy' }).execute();
    await deliverReminders(context);
    await context.instance.look();
    await deliverReminders(context);
    expect(door.mails).toEqual([]);
    expect(await readMails(context)).toEqual([expect.stringMatching(/ due$/)]);
  });

  test('without a server each mail is one file, also when it is handed over twice', async () => {
    const files = await openDeliveryGround({ kind });
    try {
      const here = await files.open(clock);
      await setRetirement(here);
      await addHolder(here, 'file@box.example');
      await planReminders(here);
      await deliverReminders(here);
      await here.store.durable.updateTable('mails').set({ state: 'due', next_at: clock.now() }).execute();
      expect(await deliverReminders(here)).toMatchObject({ sent: 1 });
      const names = readdirSync(join(files.folder, 'mail'));
      expect(names).toEqual([expect.stringMatching(/^[0-9a-f]{24,32}\.eml$/)]);
    } finally {
      await files.close();
    }
  });
});
