import { deliverReminders } from '../../src/domain/reminders/deliver.ts';
import { planReminders } from '../../src/domain/reminders/plan-reminders.ts';
import { addHolder, setRetirement, yesterdayNoon } from '../reminders/support/delivery-ground.ts';
import { addApp } from '../reminders/support/planning-ground.ts';
import { holdJobs } from '../support/bridge/hold-jobs.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { logLines } from '../support/bridge/log-lines.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { type SmtpDoor, startSmtpServer } from '../support/servers/smtp-server.ts';
import { type Sample, scrape, sumOf } from './support/scrape.ts';

/** What `/metrics` tells of mails that went over real SMTP. */

const clock = new SettableClock(yesterdayNoon());
const log = logLines();
let door: SmtpDoor;
let system: System;
let release: () => void;

beforeAll(async () => {
  door = await startSmtpServer();
  const env = { SMTP_URL: `smtp://127.0.0.1:${door.port}`, MAIL_FROM: 'no-reply@bridge.example' };
  system = await startSystem({ clock, env, log: { level: 'info', stream: log.stream } });
  release = await holdJobs(system.bridge.context, ['plan-reminders', 'send-reminders']);
});

afterAll(async () => {
  release();
  await system.stop();
  await door.close();
});

const mails = async (labels: Sample['labels']) =>
  sumOf(await scrape(system.bridgeUrl), 'grantbridge_mails_total', labels);

test('a mail counts by its stage and by what became of it', async () => {
  const { context } = system.bridge;
  await setRetirement(context);
  const app = await addApp(context);
  await addHolder(context, 'holder@box.example', app);
  expect(await mails({ outcome: 'sent' })).toBe(0);
  expect(await planReminders(context)).toBe(1);
  expect(await deliverReminders(context)).toMatchObject({ sent: 1 });
  expect(await mails({ outcome: 'sent' })).toBe(1);
  expect(await mails({ outcome: 'sent', stage: 'none' })).toBe(0);
  const { stage } = await context.store.durable
    .selectFrom('reminders')
    .select('stage')
    .executeTakeFirstOrThrow();
  expect(await mails({ outcome: 'sent', stage })).toBe(1);
});

test('mails that reach nobody are counted from zero on, so that a rule sees the first one', async () => {
  const { context } = system.bridge;
  const unreached = async () => {
    const samples = await scrape(system.bridgeUrl);
    return samples
      .filter(({ name }) => name === 'grantbridge_mails_undeliverable_total')
      .map(({ value }) => value);
  };
  expect(await unreached()).toEqual([0]);
  door.refused.add('gone@box.example');
  await addHolder(context, 'gone@box.example', await addApp(context));
  expect(await planReminders(context)).toBe(1);
  expect(await deliverReminders(context)).toMatchObject({ undeliverable: 1 });
  expect(await unreached()).toEqual([1]);
});

test('what the mail server takes, and does not take, is counted from zero on; a mailbox that it refuses for good is not', async () => {
  const { context } = system.bridge;
  const handOvers = async () => {
    const samples = await scrape(system.bridgeUrl);
    const count = (outcome: string) => sumOf(samples, 'grantbridge_mail_hand_overs_total', { outcome });
    return [count('taken'), count('not_taken')];
  };
  expect(await handOvers()).toEqual([1, 0]);
  await door.close();
  const app = await addApp(context);
  await addHolder(context, 'late@box.example', app);
  expect(await planReminders(context)).toBe(1);
  expect(await deliverReminders(context)).toMatchObject({ putOff: 1 });
  expect(await handOvers()).toEqual([1, 1]);
  await system.bridge.untilLogged();
  const line = log.lines().findLast((one) => one.includes('a mail server did not take a reminder')) ?? '';
  expect(JSON.parse(line)).toMatchObject({ clientIds: [app], attempts: 1 });
  expect(line).not.toContain('late@');
});

test('a reminder whose mail has not left for a day is overdue, by its stage', async () => {
  const overdue = async (labels: Sample['labels'] = {}) =>
    sumOf(await scrape(system.bridgeUrl), 'grantbridge_mails_overdue', labels);
  expect(await overdue()).toBe(0);
  const { stage } = await system.bridge.context.store.durable
    .selectFrom('reminders')
    .innerJoin('mails', 'mails.id', 'reminders.mail_id')
    .select('stage')
    .where('state', '=', 'due')
    .executeTakeFirstOrThrow();
  clock.advance(DAY + 1000);
  expect([await overdue(), await overdue({ stage })]).toEqual([1, 1]);
});
