import { DAY, HOUR } from '../../src/shared/lifetimes.ts';
import { dayOf } from '../../src/shared/moments.ts';
import { addAppCalls } from '../../src/store/usage/app-calls.ts';
import { openWebhookGround, type WebhookGround } from './support/webhook-ground.ts';

/** Messages that time alone causes. */

const SUPPORT = { kind: 'support', clientId: null } as const;

let ground: WebhookGround;

beforeAll(async () => {
  ground = await openWebhookGround();
});
afterAll(() => ground.stop());
beforeEach(() => ground.forget());

async function told() {
  await ground.tell();
  await ground.deliver();
  return ground.messages();
}

/** Midnight of the next day, so that hours and days of other tests are over. */
const nextDay = () => Math.ceil((ground.clock.now() + 1) / DAY) * DAY;

test('the counts of the desks are told once an hour, from the first full hour on', async () => {
  ground.clock.set(nextDay() + HOUR / 4);
  await ground.add(ground.urlOf('/in'), ['queues.hourly'], SUPPORT);
  expect(await told()).toEqual([]);
  ground.clock.advance((3 * HOUR) / 4);
  await told();
  ground.clock.advance(HOUR / 2);
  expect(await told()).toHaveLength(1);
  ground.clock.advance(HOUR / 2);
  const [first, second, ...others] = await told();
  expect(others).toEqual([]);
  expect(first?.type).toBe('queues.hourly');
  expect(second?.data['queues']).toEqual(
    expect.arrayContaining([
      { queue: 'in-doubt', count: 0, is_more: false },
      { queue: 'waiting', count: expect.any(Number), is_more: false },
    ]),
  );
});

test('the counts of the desks are told once a day, at six', async () => {
  ground.clock.set(nextDay() + 5 * HOUR);
  await ground.add(ground.urlOf('/in'), ['queues.daily'], SUPPORT);
  ground.clock.advance(HOUR - 1);
  expect(await told()).toEqual([]);
  ground.clock.advance(1);
  expect(await told()).toHaveLength(1);
  ground.clock.advance(DAY - 1);
  expect(await told()).toHaveLength(1);
  ground.clock.advance(1);
  expect(await told()).toHaveLength(2);
});

test('a webhook that is added after six hears of the next day first, and another one of this day all the same', async () => {
  ground.clock.set(nextDay() + 5 * HOUR);
  await ground.add(ground.urlOf('/before'), ['queues.daily'], SUPPORT);
  ground.clock.advance(2 * HOUR);
  await ground.add(ground.urlOf('/after'), ['queues.daily'], SUPPORT);
  expect(await told()).toHaveLength(1);
  ground.clock.advance(22 * HOUR);
  expect(await told()).toHaveLength(1);
  ground.clock.advance(HOUR);
  expect(await told()).toHaveLength(3);
  expect(ground.receiver.received.map(({ path }) => path).toSorted()).toEqual([
    '/after',
    '/before',
    '/before',
  ]);
});

async function lastCallAt(at: number): Promise<void> {
  const { store } = ground.system.bridge.context;
  await store.volatile.deleteFrom('app_calls').execute();
  const call = { endpoint: 'GET /1/profiles.json', carrier: 'header', user_agent: 'cron', outcome: 'ok' };
  const row = { client_id: ground.system.app.clientId, day: dayOf(at), last_at: at, calls: 1 };
  await addAppCalls(store.volatile, [{ ...call, ...row }]);
}

test('seven days after the last old call its app is quiet, and it is told once of each last call', async () => {
  await ground.add(ground.urlOf('/in'), ['calls.quiet']);
  const last = ground.clock.now();
  await lastCallAt(last);
  ground.clock.advance(7 * DAY - 1);
  expect(await told()).toEqual([]);
  ground.clock.advance(1);
  await told();
  ground.clock.advance(DAY);
  expect(await told()).toEqual([
    {
      type: 'calls.quiet',
      timestamp: new Date(last + 7 * DAY).toISOString(),
      data: { client_id: ground.system.app.clientId, last_call_at: new Date(last).toISOString() },
    },
  ]);
  const later = ground.clock.now();
  await lastCallAt(later);
  ground.clock.advance(7 * DAY);
  expect(await told()).toHaveLength(2);
});

test('an app that was quiet before its webhook was added is no news', async () => {
  await lastCallAt(ground.clock.now() - 8 * DAY);
  await ground.add(ground.urlOf('/in'), ['calls.quiet']);
  expect(await told()).toEqual([]);
});
