import type { Context } from '../../src/domain/context.ts';
import { deliverReminders } from '../../src/domain/reminders/deliver.ts';
import { listUndeliverable } from '../../src/domain/reminders/deliver-undeliverable.ts';
import { passToNextContact } from '../../src/domain/reminders/deliver-pass-on.ts';
import { contextAt, planReminders } from '../../src/domain/reminders/plan-reminders.ts';
import { DAY, MINUTE } from '../../src/shared/lifetimes.ts';
import { dayOf } from '../../src/shared/moments.ts';
import { claimMail } from '../../src/store/reminders/mails.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import type { SmtpDoor } from '../support/servers/smtp-server.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';
import {
  addOwnedApp,
  readMails,
  yesterdayNoon,
  type MailedGround,
  openMailedGround,
} from './support/delivery-ground.ts';
import { addAccount, addApp, addToken, extend, previewAll } from './support/planning-ground.ts';

/** What comes due while a mail is put off belongs to that mail, and does not make it young again; over real SMTP. */

describe.each(databaseKinds)('on %s', (kind) => {
  let opened: MailedGround;
  let door: SmtpDoor;
  let clock: SettableClock;
  let context: Context;
  /** The first moment of the retirement. */
  let date: number;
  beforeEach(async () => {
    opened = await openMailedGround(kind);
    ({ door, clock, context } = opened);
    date = yesterdayNoon() + 21.5 * DAY;
  });
  afterEach(() => opened.close());

  /** Ten in the morning (UTC), so many days before the retirement. */
  const daysBefore = (days: number) => clock.set(date - days * DAY + 600 * MINUTE);

  /** Plans and sends every five hours, as long as `isOpen` says; answers the days that were left. */
  const runWhile = async (isOpen: () => boolean | Promise<boolean>) => {
    while ((await isOpen()) && clock.now() < date) {
      await planReminders(context);
      await deliverReminders(context);
      clock.advance(300 * MINUTE);
    }
    return (date - clock.now()) / DAY;
  };

  const recipients = () => door.mails.flatMap(({ to }) => to);

  test('a mailbox that puts off is given up after five days, whatever stage comes meanwhile', async () => {
    const contacts = ['contact@box.example'];
    await addOwnedApp(context, { owner: 'full@box.example', contacts, name: 'Owned' });
    door.deferred.add('full@box.example');
    daysBefore(7);
    expect(await runWhile(() => door.mails.length === 0)).toBeGreaterThan(1);
    expect(recipients()).toEqual(contacts);
    expect(await readMails(context)).toEqual([
      expect.stringMatching(/ full@box\.example refused /),
      expect.stringMatching(/ contact@box\.example sent$/),
    ]);
  });

  test('a contact who puts off is given up too, and support hears of it before the date', async () => {
    const [owner, contact] = ['full@box.example', 'full-too@box.example'];
    await addOwnedApp(context, { owner, contacts: [contact] });
    door.deferred.add(owner).add(contact);
    daysBefore(14);
    const left = await runWhile(async () => (await listUndeliverable(context)).mails.length === 0);
    expect(left).toBeGreaterThan(3);
    expect((await listUndeliverable(context)).mails[0]?.reminders).toMatchObject([
      { role: 'owner', stage: '3' },
    ]);
  });

  /** The mail about the first of two apps has gone on to its contact, who puts it off. The second app is due days later. */
  const putOffByContact = async () => {
    const owner = 'owner@box.example';
    await addOwnedApp(context, { owner, contacts: ['one@box.example'], name: 'First' });
    const second = await addOwnedApp(context, { owner, contacts: ['two@box.example'], name: 'Second' });
    await extend(context, second, dayOf(date + 8 * DAY));
    daysBefore(14);
    await planReminders(context);
    await context.store.durable.updateTable('mails').set({ state: 'sent', ended_at: clock.now() }).execute();
    daysBefore(7);
    door.refused.add(owner);
    door.deferred.add('one@box.example');
    expect(await planReminders(context)).toBe(1);
    expect(await deliverReminders(context)).toMatchObject({ passedOn: 1, putOff: 1 });
  };

  /** What would be planned now: the apps and stages of each mail. */
  const previewed = async (at = clock.now()) =>
    (await previewAll(contextAt(context, at))).map(({ due }) =>
      due.map(({ stage, part }) => `${part.appName} ${stage}`),
    );

  test('a mail that a contact puts off holds the other apps of its owner for its day alone', async () => {
    await putOffByContact();
    expect(await planReminders(context)).toBe(0);
    daysBefore(3);
    expect(await previewed()).toEqual([['Second 14']]);
    expect(await planReminders(context)).toBe(1);
    expect(await deliverReminders(context)).toMatchObject({ passedOn: 1, putOff: 1, sent: 1 });
    expect(recipients()).toEqual(['two@box.example']);
    expect(door.mailTo('two@box.example').raw).not.toContain('First');
    expect(await planReminders(context)).toBe(0);
  });

  test('its dates go on in that mail: the mail of the day leaves their next stages out', async () => {
    await putOffByContact();
    daysBefore(3);
    door.refused.clear();
    await context.store.durable
      .updateTable('mails')
      .set({ next_at: clock.now() + MINUTE })
      .where('state', '=', 'due')
      .execute();
    expect(await planReminders(context)).toBe(1);
    expect(await deliverReminders(context)).toMatchObject({ putOff: 0, sent: 1 });
    expect(door.mailTo('owner@box.example').raw).not.toContain('First');
    door.deferred.clear();
    clock.advance(300 * MINUTE);
    expect(await deliverReminders(context)).toMatchObject({ sent: 1 });
    expect(door.mailTo('one@box.example').raw).toContain('First');
    daysBefore(2);
    expect(await previewed()).toEqual([['First 1']]);
  });

  test('a look at a later day has what that mail holds back now, because it has ended by then', async () => {
    await putOffByContact();
    expect(await previewed(clock.now() + 4 * DAY)).toEqual([['Second 14']]);
    expect(await previewed(clock.now() + 6 * DAY)).toEqual([['First 0', 'Second 14']]);
  });

  /** The same context, of which another process gives up the open mail just after the mails of people were read. */
  const withMailGivenUp = (): Context => {
    const { durable } = context.store;
    let isLeft = true;
    const giveUp = async () => {
      isLeft = false;
      const now = clock.now();
      const mail = await claimMail(durable, { claimId: 'x', now, until: now + DAY, instance: undefined });
      if (!mail) throw new Error('a mail is due');
      await passToNextContact(context, mail, { address: mail.address ?? '', failure: 'full' });
    };
    const raced = durable.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        const [row] = result.rows;
        if (isLeft && row && 'replaces' in row && 'ended_at' in row) await giveUp();
        return result;
      },
    });
    return { ...context, store: { ...context.store, durable: raced } };
  };

  test('a date whose mail goes on to another contact while the day is planned stays with that mail', async () => {
    const owner = 'owner@box.example';
    await addOwnedApp(context, { owner, contacts: ['one@box.example', 'two@box.example'], name: 'First' });
    daysBefore(7);
    door.refused.add(owner);
    door.deferred.add('one@box.example');
    await planReminders(context);
    expect(await deliverReminders(context)).toMatchObject({ passedOn: 1, putOff: 1 });
    daysBefore(3);
    expect(await planReminders(withMailGivenUp())).toBe(0);
    expect(await deliverReminders(context)).toMatchObject({ sent: 1 });
    expect(recipients()).toEqual(['two@box.example']);
  });

  /** A mail about the first app is put off a day before the second app comes due. */
  const putOffFirst = async () => {
    const account_id = await addAccount(context, { email: 'full@box.example' });
    for (const name of ['First', 'Second']) {
      const app = await addApp(context, { name });
      await addToken(context, app, { account_id });
      if (name === 'Second') await extend(context, app, dayOf(date + DAY));
    }
    daysBefore(14);
    await planReminders(context);
    await context.store.durable.updateTable('mails').set({ state: 'sent', ended_at: clock.now() }).execute();
    daysBefore(7);
    door.deferred.add('full@box.example');
    expect(await planReminders(context)).toBe(1);
    expect(await deliverReminders(context)).toMatchObject({ putOff: 1 });
    daysBefore(6);
    door.deferred.clear();
  };

  /** The mail of a later day: whether it leaves then, whether it is of that day, and its stages. */
  const shown = async (at: number) => {
    const [one] = await previewAll(contextAt(context, at));
    return [one?.isNow, one?.day === dayOf(at), one?.due.map(({ stage }) => stage).join()];
  };

  test('a look at a later day has a mail of that day, because the mail that is put off has ended by then', async () => {
    await putOffFirst();
    expect(await shown(clock.now() + 2 * DAY)).toEqual([false, false, '3,7']);
    expect(await shown(clock.now() + 5 * DAY + MINUTE)).toEqual([true, true, '0,3']);
  });

  test('what came due while a mail was put off leaves with it, and is told once', async () => {
    await putOffFirst();
    expect(await planReminders(context)).toBe(0);
    expect(await deliverReminders(context)).toMatchObject({ sent: 1 });
    expect(door.mails[0]?.raw).toContain('Second');
    clock.advance(DAY);
    expect(await planReminders(context)).toBe(0);
    expect(await deliverReminders(context)).toMatchObject({ sent: 0 });
  });

  test('a mail that may have arrived says what it said, and the rest is told by another one', async () => {
    await putOffFirst();
    await context.store.durable
      .updateTable('mails')
      .set({ in_doubt: 1 })
      .where('state', '=', 'due')
      .execute();
    expect(await deliverReminders(context)).toMatchObject({ sent: 1 });
    expect(door.mails[0]?.raw).not.toContain('Second');
    clock.advance(DAY);
    await planReminders(context);
    expect(await deliverReminders(context)).toMatchObject({ sent: 1 });
    expect(door.mails[1]?.raw).toContain('Second');
  });
});
