import { getTasks } from 'node-cron';
import type { Context } from '../../src/domain/context.ts';
import { startJobs } from '../../src/jobs/schedule.ts';
import { dayOf } from '../../src/shared/moments.ts';
import { addUsage } from '../../src/store/usage/usage.ts';
import { until } from '../support/servers/held-answer.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import {
  addHolder,
  type DeliveryGround,
  openDeliveryGround,
  readMails,
  setRetirement,
  yesterdayNoon,
} from './support/delivery-ground.ts';

/** When the jobs plan and send, and that they do neither where nobody could be told. */

let ground: DeliveryGround;
beforeAll(async () => {
  ground = await openDeliveryGround({ kind: 'sqlite' });
  const context = await ground.open(new SettableClock(yesterdayNoon()));
  await setRetirement(context);
  await addHolder(context, 'holder@box.example');
});
afterAll(() => ground.close());

async function open(settings: Partial<Context['settings']>): Promise<Context> {
  const context = await ground.open(new SettableClock(yesterdayNoon()));
  return { ...context, settings: { ...context.settings, ...settings } };
}

const reminderTasks = () => [...getTasks().values()].filter(({ name }) => name?.endsWith('-reminders'));

test('in production without a mail server they plan and send nothing', async () => {
  const context = await open({ sendsReminders: false });
  const stop = startJobs(context);
  expect(reminderTasks()).toEqual([]);
  await context.flights.close();
  await stop();
  expect(await readMails(context)).toEqual([]);
});

test('without a mail server too, the last use of a token is kept, as pages tell it', async () => {
  const context = await open({ sendsReminders: false });
  const { store, clock } = context;
  const tokens = store.durable.selectFrom('mappings').select(['id', 'last_used_at as usedAt']);
  const { id } = await tokens.executeTakeFirstOrThrow();
  const call = { endpoint: '/1/user.json', carrier: 'header', user_agent: 'test', outcome: 'ok', calls: 1 };
  await addUsage(store, [{ mapping_id: id, day: dayOf(clock.now()), ...call, last_at: clock.now() }]);
  const stop = startJobs(context);
  await until(async () => (await tokens.where('id', '=', id).executeTakeFirst())?.usedAt === clock.now());
  await context.flights.close();
  await stop();
});

test('they plan every hour, whatever the setting says, and once at the start', async () => {
  const context = await open({ reminderCron: '0 3 * * *' });
  const stop = startJobs(context);
  const planned = reminderTasks().filter(({ name }) => name === 'plan-reminders');
  const soonest = Math.min(...planned.map((task) => task.getNextRun()?.getTime() ?? Infinity));
  expect(soonest - Date.now()).toBeLessThanOrEqual(3_600_000);
  expect(planned.some((task) => task.getNextRun()?.getUTCMinutes() === 5)).toBe(true);
  await until(async () => (await readMails(context)).length === 1);
  await context.flights.close();
  await stop();
});
