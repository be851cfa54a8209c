import type { Context } from '../../../src/domain/context.ts';
import { deliverReminders } from '../../../src/domain/reminders/deliver.ts';
import { planReminders } from '../../../src/domain/reminders/plan-reminders.ts';
import { DAY } from '../../../src/shared/lifetimes.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { modeDatabases } from '../../support/jest/test-mode.ts';
import type { SmtpDoor } from '../../support/servers/smtp-server.ts';
import { addHolder, addOwnedApp, type MailedGround, openMailedGround } from '../support/delivery-ground.ts';
import { addAccount, addApp, addToken, endExtension, extend } from '../support/planning-ground.ts';

/** Mails about a date that moves away and back: only what may have been read makes a date be told again. */

describe.each(modeDatabases)('on %s', (kind) => {
  let opened: MailedGround;
  let door: SmtpDoor;
  let clock: SettableClock;
  let context: Context;
  let app: string;
  beforeEach(async () => {
    opened = await openMailedGround(kind);
    ({ door, clock, context } = opened);
    app = await addApp(context, { name: 'Old app' });
  });
  afterEach(() => opened.close());

  async function tell() {
    await planReminders(context);
    const { sent, dropped, undeliverable } = await deliverReminders(context);
    return { sent, dropped, undeliverable };
  }

  const SENT = { sent: 1, dropped: 0, undeliverable: 0 };
  const NONE = { ...SENT, sent: 0 };
  const inDays = (days: number) => new Date(clock.now() + days * DAY).toISOString();

  test('a mail that left makes it be told again, also under another name of the person', async () => {
    await addToken(context, app, { account_email: 'ann@box.example' });
    expect(await tell()).toEqual(SENT);
    const account_id = await addAccount(context, { email: 'ann@box.example' });
    await context.store.durable.updateTable('mappings').set({ account_id, account_email: null }).execute();
    clock.advance(DAY);
    await extend(context, app, inDays(90));
    expect(await tell()).toEqual(SENT);
    clock.advance(DAY);
    await endExtension(context, app);
    expect(await tell()).toEqual(SENT);
    clock.advance(DAY);
    expect(await tell()).toEqual(NONE);
    expect(door.mails).toHaveLength(3);
  });

  /** The ways in which a mail ends and counts as told, other than by an answer of the mail server. */
  const ends = {
    'was sent for all that is known': async () => {
      await context.store.durable
        .updateTable('mails')
        .set({ in_doubt: 2 })
        .where('state', '=', 'due')
        .execute();
      return deliverReminders(context);
    },
    'cannot be made': async () => {
      await context.store.durable
        .updateTable('mails')
        .set({ attempts: 20, created_at: clock.now() - 6 * DAY })
        .where('state', '=', 'due')
        .execute();
      return deliverReminders({ ...context, settings: { ...context.settings, publicUrl: 'no address' } });
    },
    'is refused': () => {
      door.refused.add('ann@box.example');
      return deliverReminders(context);
    },
    'is refused, and goes on to a contact in part': async () => {
      const contacts = ['contact@box.example'];
      await addOwnedApp(context, { owner: 'ann@box.example', contacts });
      door.refused.add('ann@box.example');
      return deliverReminders(context);
    },
  };

  test.each(Object.entries(ends))('one that %s does so under every name', async (_name, end) => {
    await addToken(context, app, { account_email: 'ann@box.example' });
    expect(await tell()).toEqual(SENT);
    const account_id = await addAccount(context, { email: 'ann@box.example' });
    await context.store.durable.updateTable('mappings').set({ account_id, account_email: null }).execute();
    clock.advance(DAY);
    await extend(context, app, inDays(90));
    expect(await planReminders(context)).toBe(1);
    const { sent, undeliverable, passedOn } = await end();
    expect(sent + undeliverable + passedOn).toBeGreaterThan(0);
    door.refused.clear();
    clock.advance(DAY);
    await endExtension(context, app);
    expect(await tell()).toEqual(SENT);
  });

  test('one that was dropped does not', async () => {
    await addHolder(context, 'ann@box.example', app);
    expect(await tell()).toEqual(SENT);
    clock.advance(DAY);
    await extend(context, app, inDays(90));
    expect(await planReminders(context)).toBe(1);
    await endExtension(context, app);
    expect(await tell()).toEqual({ ...NONE, dropped: 1 });
    clock.advance(DAY);
    expect(await tell()).toEqual(NONE);
  });

  test('one that reached nobody does: support was to tell it', async () => {
    await addHolder(context, 'ann@box.example', app);
    expect(await tell()).toEqual(SENT);
    clock.advance(DAY);
    await extend(context, app, inDays(90));
    door.refused.add('ann@box.example');
    expect(await tell()).toEqual({ ...NONE, undeliverable: 1 });
    door.refused.clear();
    clock.advance(DAY);
    await endExtension(context, app);
    expect(await tell()).toEqual(SENT);
  });
});
