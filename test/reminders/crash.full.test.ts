import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Context } from '../../src/domain/context.ts';
import { planReminders } from '../../src/domain/reminders/plan-reminders.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { header, type SmtpDoor, type SmtpMoment, startSmtpServer } from '../support/servers/smtp-server.ts';
import { until } from '../support/servers/held-answer.ts';
import { databasesOf } from '../support/jest/test-mode.ts';
import {
  addHolder,
  type DeliveryGround,
  killed,
  openDeliveryGround,
  readMails,
  setRetirement,
  yesterdayNoon,
  makeNoon,
} from './support/delivery-ground.ts';
import { addApp } from './support/planning-ground.ts';

/** Real processes that send, and are killed at every point of it. */

const ended = async (child: ChildProcess) => void (await once(child, 'exit'));

/** As if the time of every claim were over. */
const endClaims = ({ store }: Context) =>
  store.durable.updateTable('mails').set({ next_at: 0 }).where('state', '=', 'sending').execute();

describe.each(databasesOf('postgres'))('on %s', (kind) => {
  let door: SmtpDoor;
  let ground: DeliveryGround;
  let context: Context;
  beforeEach(async () => {
    door = await startSmtpServer();
    ground = await openDeliveryGround({ kind, smtpPort: door.port });
    context = await ground.open(new SettableClock(yesterdayNoon()));
    await setRetirement(context);
  });
  afterEach(async () => {
    await ground.close();
    await door.close();
  });

  /** The ids of what came for one person, in order. */
  const idsFor = (address: string) =>
    door.mails.filter(({ to }) => to.includes(address)).map((mail) => header(mail, 'message-id'));

  test.each<[string, SmtpMoment, number]>([
    ['between the claim and the connection', 'connected', 1],
    ['at the recipient', 'recipient', 1],
    ['while the message runs', 'data', 1],
    ['when the server has the message', 'taken', 2],
  ])(
    'killed %s',
    async (_when, at, copies) => {
      await addHolder(context, 'once@box.example');
      await planReminders(context);
      await makeNoon(context);
      const child = ground.spawn();
      await new Promise<void>((resolve) => {
        door.onMoment = (moment) => (moment === at ? resolve(killed(child)) : undefined);
      });
      door.onMoment = () => undefined;
      expect(await readMails(context)).toEqual([expect.stringMatching(/ sending$/)]);
      await endClaims(context);
      await ended(ground.spawn());
      expect(idsFor('once@box.example')).toHaveLength(copies);
      expect(new Set(idsFor('once@box.example')).size).toBe(1);
      expect(await readMails(context)).toEqual([expect.stringMatching(/ sent$/)]);
    },
    60_000,
  );

  test('killed after the mark', async () => {
    await addHolder(context, 'once@box.example');
    await planReminders(context);
    await makeNoon(context);
    const child = ground.spawn();
    await until(async () => (await readMails(context)).every((mail) => mail.endsWith(' sent')));
    await killed(child);
    await endClaims(context);
    await ended(ground.spawn());
    expect(idsFor('once@box.example')).toHaveLength(1);
  });

  test('three processes at once, killed again and again: nothing is lost, and each id stands for one person', async () => {
    const people = Array.from({ length: 60 }, (_, index) => `p${index}@box.example`);
    const app = await addApp(context);
    for (const email of people) await addHolder(context, email, app);
    await planReminders(context);
    await makeNoon(context);
    let kills = 0;
    const moments: readonly SmtpMoment[] = ['recipient', 'data', 'taken'];
    const running = new Set<ChildProcess>();
    let count = 0;
    door.onMoment = async (moment) => {
      count += 1;
      const victim = [...running][count % 3];
      if (kills >= 6 || count % 17 !== 0 || !victim || !moments.includes(moment)) return;
      kills += 1;
      running.delete(victim);
      await killed(victim);
    };
    for (let round = 0; round < 12 && (await isLeft()); round += 1) {
      const children = [ground.spawn(), ground.spawn(), ground.spawn()];
      for (const child of children) running.add(child);
      await Promise.all(children.map(ended));
      running.clear();
      await endClaims(context);
    }
    async function isLeft(): Promise<boolean> {
      return (await readMails(context)).some((mail) => !mail.endsWith(' sent'));
    }
    expect(kills).toBeGreaterThanOrEqual(3);
    expect(await isLeft()).toBe(false);
    for (const address of people) {
      expect(idsFor(address).length).toBeGreaterThanOrEqual(1);
      expect(new Set(idsFor(address)).size).toBe(1);
    }
    // Each process had at most four mails in its hands.
    expect(door.mails.length - people.length).toBeLessThanOrEqual(4 * kills);
    expect(new Set(door.mails.map((mail) => header(mail, 'message-id'))).size).toBe(people.length);
  });

  test('a server that takes the call and says nothing is given up on, and its mail is tried again later', async () => {
    await addHolder(context, 'slow@box.example');
    await planReminders(context);
    await makeNoon(context);
    const wakes: Array<() => void> = [];
    door.onMoment = () => new Promise<void>((resolve) => wakes.push(resolve));
    await ended(ground.spawn());
    expect(await readMails(context)).toEqual([
      expect.stringMatching(/ due the mail server could not be used \(ETIMEDOUT\)$/),
    ]);
    door.onMoment = () => undefined;
    for (const wake of wakes) wake();
  });
});
