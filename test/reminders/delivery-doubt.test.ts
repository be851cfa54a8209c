import { type AddressInfo, createServer, type Server } from 'node:net';
import { once } from 'node:events';
import type { Context } from '../../src/domain/context.ts';
import { deliverReminders } from '../../src/domain/reminders/deliver.ts';
import { deliverOne } from '../../src/domain/reminders/deliver-one.ts';
import { planReminders } from '../../src/domain/reminders/plan-reminders.ts';
import { DAY, MINUTE } from '../../src/shared/lifetimes.ts';
import { claimMail } from '../../src/store/reminders/mails.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { type SmtpDoor, startSmtpServer } from '../support/servers/smtp-server.ts';
import { modeDatabases } from '../support/jest/test-mode.ts';
import {
  addHolder,
  addOwnedApp,
  type DeliveryGround,
  openDeliveryGround,
  readMails,
  setRetirement,
  yesterdayNoon,
} from './support/delivery-ground.ts';

/** What goes wrong around a hand-over, and must neither be repeated without end nor be forgotten. */

/** Takes a whole message, then hangs up without a word. */
async function startForgetfulServer(): Promise<{ port: number; taken: string[]; close(): void }> {
  const taken: string[] = [];
  const server: Server = createServer((socket) => {
    let message: string | undefined;
    socket.on('error', () => undefined);
    socket.write('220 here\r\n');
    socket.on('data', (bytes) => {
      if (message === undefined) {
        const isData = /^DATA/i.test(String(bytes));
        if (isData) message = '';
        socket.write(isData ? '354 go on\r\n' : '250 yes\r\n');
        return;
      }
      message += String(bytes);
      if (!message.endsWith('\r\n.\r\n')) return;
      taken.push(message);
      socket.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, taken, close: () => void server.close() };
}

const idOf = (raw: string) => /^Message-ID: (.*)$/im.exec(raw)?.[1];

describe.each(modeDatabases)('on %s', (kind) => {
  let door: SmtpDoor;
  let forgetful: Awaited<ReturnType<typeof startForgetfulServer>>;
  let ground: DeliveryGround;
  let clock: SettableClock;
  let context: Context;
  const open = async (smtpPort: number) => {
    ground = await openDeliveryGround({ kind, smtpPort });
    clock = new SettableClock(yesterdayNoon());
    context = await ground.open(clock);
    await setRetirement(context);
  };
  beforeEach(async () => {
    [door, forgetful] = await Promise.all([startSmtpServer(), startForgetfulServer()]);
  });
  afterEach(async () => {
    await ground.close();
    forgetful.close();
    await door.close();
  });

  const reminders = () =>
    context.store.durable.selectFrom('reminders').select(['client_id', 'dropped_at']).execute();

  test('a server that takes a mail and never answers gets it twice, and it counts as sent', async () => {
    await open(forgetful.port);
    await addHolder(context, 'doubt@box.example');
    await planReminders(context);
    expect(await deliverReminders(context)).toMatchObject({ putOff: 1, sent: 0 });
    expect(await readMails(context)).toEqual([expect.stringMatching(/ due .* did not confirm it$/)]);
    clock.advance(5 * MINUTE);
    expect(await deliverReminders(context)).toMatchObject({ putOff: 0, sent: 1 });
    clock.advance(60 * MINUTE);
    expect(await deliverReminders(context)).toMatchObject({ putOff: 0, sent: 0 });
    expect(forgetful.taken).toHaveLength(2);
    expect(new Set(forgetful.taken.map(idOf)).size).toBe(1);
    expect(await readMails(context)).toEqual([
      expect.stringMatching(/ doubt@box\.example sent the mail server did not confirm it$/),
    ]);
    expect(await planReminders(context)).toBe(0);
  });

  test('a doubt that was counted by a process that died is not counted anew', async () => {
    await open(forgetful.port);
    await addHolder(context, 'doubt@box.example');
    await planReminders(context);
    await context.store.durable.updateTable('mails').set({ in_doubt: 2 }).execute();
    expect(await deliverReminders(context)).toMatchObject({ sent: 1 });
    expect(forgetful.taken).toEqual([]);
  });

  test('a mail that cannot be made is given up after five days and a dozen attempts, and says so', async () => {
    await open(door.port);
    await addHolder(context, 'unmade@box.example');
    await planReminders(context);
    const broken = { ...context, settings: { ...context.settings, publicUrl: 'no address' } };
    expect(await deliverReminders(broken)).toMatchObject({ putOff: 1 });
    clock.advance(5 * DAY);
    expect(await deliverReminders(broken)).toMatchObject({ putOff: 1 });
    await context.store.durable.updateTable('mails').set({ attempts: 11, next_at: clock.now() }).execute();
    expect(await deliverReminders(broken)).toMatchObject({ undeliverable: 1 });
    expect(await readMails(context)).toEqual([
      expect.stringMatching(/ undeliverable the mail could not be made$/),
    ]);
  });

  test('a mail that takes too long to make is put off, and given up in the end', async () => {
    await open(door.port);
    await addHolder(context, 'slow@box.example');
    await planReminders(context);
    let looks = 0;
    const elapsed = () => (looks += 1) * (MINUTE + 1);
    const slow = { ...context, clock: { now: () => clock.now(), wall: () => clock.wall(), elapsed } };
    expect(await deliverReminders(slow)).toMatchObject({ putOff: 1 });
    clock.advance(5 * DAY);
    await context.store.durable.updateTable('mails').set({ attempts: 11, next_at: clock.now() }).execute();
    expect(await deliverReminders(slow)).toMatchObject({ undeliverable: 1 });
    expect(door.mails).toEqual([]);
    expect(await readMails(context)).toEqual([expect.stringMatching(/ the mail took too long to make$/)]);
  });

  test('who is a contact of an app no longer is told nothing more of it, and another contact is', async () => {
    await open(door.port);
    const owner = 'owner@box.example';
    const contacts = ['a@box.example', 'z@box.example'];
    const left = await addOwnedApp(context, { owner, contacts, name: 'Left' });
    await addOwnedApp(context, { owner, contacts: ['a@box.example'], name: 'Kept' });
    door.refused.add(owner);
    door.deferred.add('a@box.example');
    await planReminders(context);
    expect(await deliverReminders(context)).toMatchObject({ passedOn: 1, putOff: 1 });
    door.deferred.clear();
    await context.store.durable
      .deleteFrom('app_contacts')
      .where('client_id', '=', left)
      .where('address', '=', 'a@box.example')
      .execute();
    clock.advance(5 * MINUTE);
    expect(await deliverReminders(context)).toMatchObject({ sent: 1 });
    expect(door.mailTo('a@box.example').raw).toContain('Kept');
    expect(door.mailTo('a@box.example').raw).not.toContain('Left');
    clock.advance(DAY);
    expect(await planReminders(context)).toBe(1);
    expect(await deliverReminders(context)).toMatchObject({ passedOn: 1, sent: 1 });
    expect(door.mailTo('z@box.example').raw).toContain('Left');
  });

  test('a mail of whose apps its reader is no contact any more is not sent', async () => {
    await open(door.port);
    const contacts = ['a@box.example'];
    await addOwnedApp(context, { owner: 'owner@box.example', contacts });
    door.refused.add('owner@box.example');
    door.deferred.add('a@box.example');
    await planReminders(context);
    await deliverReminders(context);
    door.deferred.clear();
    await context.store.durable.deleteFrom('app_contacts').execute();
    clock.advance(5 * MINUTE);
    expect(await deliverReminders(context)).toMatchObject({ sent: 0, dropped: 1 });
    expect(door.mails).toEqual([]);
  });

  test('while a mail is on its way its row says where it goes, not where it was planned to go', async () => {
    await open(door.port);
    await addHolder(context, 'old@box.example');
    await planReminders(context);
    await context.store.durable.updateTable('accounts').set({ email: 'new@box.example' }).execute();
    let onTheWay: string[] = [];
    door.onMoment = async (moment) => {
      if (moment === 'taken') onTheWay = await readMails(context);
    };
    await deliverReminders(context);
    expect(onTheWay).toEqual([expect.stringMatching(/ new@box\.example sending$/)]);
  });

  test('who has lost the claim takes nothing back, sends nothing and ends nothing', async () => {
    await open(door.port);
    await addHolder(context, 'lost@box.example');
    await planReminders(context);
    const now = clock.now();
    const claim = { now, until: now + MINUTE, instance: undefined };
    const lost = await claimMail(context.store.aside, { ...claim, claimId: 'first' });
    if (!lost) throw new Error('nothing was due');
    await context.store.durable.updateTable('mails').set({ claim_id: 'second' }).execute();
    expect(await deliverOne(context, lost, clock.elapsed())).toBe('left');
    expect(door.mails).toEqual([]);
    await context.store.durable.updateTable('mappings').set({ state: 'revoked' }).execute();
    expect(await deliverOne(context, lost, clock.elapsed())).toBe('left');
    expect((await reminders()).map(({ dropped_at }) => dropped_at)).toEqual([null]);
    expect(await readMails(context)).toEqual([expect.stringMatching(/ sending$/)]);
  });
});
