import type { Context } from '../../src/domain/context.ts';
import { redateWaiting } from '../../src/domain/redate-waiting.ts';
import { findTurn } from '../../src/domain/grants/refresh/stop/doubt-breaker.ts';
import { DAY, DEATHS_STOP, MINUTE, SECOND } from '../../src/shared/lifetimes.ts';
import { issueToken } from '../support/callers/legacy-calls.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** A process whose machine slept is behind until it asks the database for the time, and takes no right date for a wrong one. */

let system: System;

beforeAll(async () => {
  system = await startSystem();
  await issueToken(system);
});
afterAll(() => system.stop());

/** The process as it is a moment after it slept. */
function late(): Context {
  const { context } = system.bridge;
  const { clock } = context;
  return { ...context, clock: { ...clock, now: () => clock.now() - 10 * SECOND } };
}

const breaker = () => {
  const { durable } = system.bridge.context.store;
  return durable.selectFrom('refresh_breaker').select(['tripped_at', 'next_at', 'deaths_until']);
};

test.each([
  ['tripped meanwhile', (now: number) => ({ tripped_at: now, next_at: now + MINUTE, pause: MINUTE })],
  ['stopped for deaths meanwhile', (now: number) => ({ deaths_until: now + DEATHS_STOP })],
])('a breaker that %s stays so for it', async (_what, changeAt) => {
  const { store, clock } = system.bridge.context;
  const none = { tripped_at: null, next_at: 0, pause: 0, deaths_until: 0 };
  await store.durable
    .updateTable('refresh_breaker')
    .set({ ...none, ...changeAt(clock.now()) })
    .execute();
  const before = await breaker().executeTakeFirst();
  expect((await findTurn(late())).kind).toBe('stopped');
  expect(await breaker().executeTakeFirst()).toEqual(before);
  await store.durable.updateTable('refresh_breaker').set(none).execute();
});

test('an answer that was lost meanwhile keeps its date', async () => {
  const { store, clock } = system.bridge.context;
  const lost = { state: 'in_doubt', doubted_at: clock.now(), presented_at: clock.now() } as const;
  await store.durable.updateTable('grants').set(lost).execute();
  expect((await findTurn(late())).kind).toBe('counted');
  const row = store.durable.selectFrom('grants').select('doubted_at');
  expect(await row.executeTakeFirst()).toEqual({ doubted_at: lost.doubted_at });
});

test('waiting work keeps the right date that lies far ahead of it', async () => {
  const { context } = system.bridge;
  const { durable } = context.store;
  const { id: grant_id } = await durable.selectFrom('grants').select('id').executeTakeFirstOrThrow();
  const owed = { id: 'owed', grant_id, token_sealed: 'x', attempts: 0, created_at: 0 };
  const soon = context.clock.now() + 50 * MINUTE;
  await durable
    .insertInto('owed_revocations')
    .values({ ...owed, next_at: soon })
    .execute();
  const asleep = { ...context, clock: { ...context.clock, now: () => context.clock.now() - DAY } };
  await redateWaiting(asleep);
  const row = durable.selectFrom('owed_revocations').select('next_at').where('id', '=', 'owed');
  expect(await row.executeTakeFirst()).toEqual({ next_at: soon });
});

test('an end of the stop after deaths that a wrong clock wrote is taken away, and stops nobody', async () => {
  const { store, clock } = system.bridge.context;
  await store.durable
    .updateTable('refresh_breaker')
    .set({ deaths_until: clock.now() + DAY })
    .execute();
  expect((await findTurn(system.bridge.context)).kind).not.toBe('stopped');
  expect(await breaker().executeTakeFirst()).toMatchObject({ deaths_until: 0 });
});
