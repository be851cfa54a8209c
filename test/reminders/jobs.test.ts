import type { Context } from '../../src/domain/context.ts';
import { startJobs } from '../../src/jobs/schedule.ts';
import { MINUTE, SECOND } from '../../src/shared/lifetimes.ts';
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

async function open(settings: Partial<Context['settings']>, at = yesterdayNoon()): Promise<Context> {
  const context = await ground.open(new SettableClock(at));
  return { ...context, settings: { ...context.settings, ...settings } };
}

/** The jobs of reminders, with the seconds between their turns. */
async function reminderTasks({ metrics }: Context): Promise<Array<[task: unknown, interval: number]>> {
  const gauge = await metrics.registry.getSingleMetric('grantbridge_job_interval_seconds')?.get();
  const all = gauge?.values.map(({ labels, value }): [unknown, number] => [labels['task'], value]) ?? [];
  return all.filter(([task]) => String(task).endsWith('-reminders'));
}

test('in production without a mail server they plan and send nothing', async () => {
  const context = await open({ sendsReminders: false });
  const stop = startJobs(context);
  expect(await reminderTasks(context)).toEqual([]);
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

test('they plan at five past every hour, whatever the setting says, and once at the start', async () => {
  const context = await open({ reminderCron: '0 3 * * *' }, yesterdayNoon() + 4 * MINUTE + 59 * SECOND);
  const stop = startJobs(context);
  expect(await reminderTasks(context)).toContainEqual(['plan-reminders', 3600]);
  await until(async () => (await readMails(context)).length === 1);
  await addHolder(context, 'later@box.example');
  await until(async () => (await readMails(context)).length === 2);
  await context.flights.close();
  await stop();
});
