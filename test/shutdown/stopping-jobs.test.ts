import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { planReminders } from '../../src/domain/reminders/plan-reminders.ts';
import { keepProgress } from '../../src/domain/progress/keep-progress.ts';
import { createShutdown } from '../../src/domain/work/shutdown.ts';
import { createSingleFlight } from '../../src/domain/work/single-flight.ts';
import { startJobs } from '../../src/jobs/schedule.ts';
import { HOUR, MINUTE, SECOND } from '../../src/shared/lifetimes.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { isSqlite } from '../../src/store/driver/many-rows.ts';
import { readCountedAt } from '../../src/store/progress/progress.ts';
import { releaseLease, takeLease } from '../../src/store/work/leases.ts';
import { until } from '../support/servers/held-answer.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** Long background work ends between two of its pages once the process stops, and the next start takes it up again. */

const [ACCOUNTS, TOKENS] = [500, 3000];

let system: System;

beforeAll(async () => {
  system = await startSystem();
  const { durable } = system.bridge.context.store;
  const numbers = (count: number) =>
    isSqlite(durable)
      ? sql`(with recursive n (n) as (select 1 union all select n + 1 from n where n < ${sql.lit(count)}) select n from n) as n`
      : sql`generate_series(1, ${sql.lit(count)}) as n (n)`;
  await sql`insert into accounts (account_id, email, name, timezone, updated_at)
    select 'account-' || n, 'person-' || n || '@example.org', 'Person', null, 0 from ${numbers(ACCOUNTS)}`.execute(
    durable,
  );
  await sql`insert into mappings (id, token_digest, client_id, account_id, state, source, created_at, updated_at)
    select 'token-' || n, 'token-' || n, ${system.app.clientId}, 'account-' || (1 + n % ${sql.lit(ACCOUNTS)}),
      'unmapped', 'imported', 0, 0 from ${numbers(TOKENS)}`.execute(durable);
});
afterAll(() => system.stop());

test.each([
  ['counting', keepProgress],
  ['planning', planReminders],
])('%s reads one page of many, and no more', async (_name, work) => {
  const { context } = system.bridge;
  const stopping = new AbortController();
  const before = await readCountedAt(context.store.durable);
  const own = { ...context, shutdown: { ...context.shutdown, signal: stopping.signal } };
  stopping.abort();
  await expect(work(own)).rejects.toMatchObject({ name: 'AbortError' });
  expect(await readCountedAt(context.store.durable)).toBe(before);
  // What was interrupted is done in full by the next.
  await work(context);
});

test('a job that a lease of a dead process keeps from its first run does it when that lease ends, and not an hour later', async () => {
  const { context } = system.bridge;
  const { store, clock } = context;
  const ends = clock.now() + 700;
  const left = { name: 'job keep-progress', holder: newHexId() };
  expect(await takeLease(store, left, { now: clock.now(), until: ends })).toBe(true);
  const [flights, shutdown] = [createSingleFlight(), createShutdown()];
  const stop = startJobs({ ...context, flights, shutdown, processId: newHexId() });
  await until(async () => ((await readCountedAt(store.durable)) ?? 0) >= ends);
  shutdown.begin(0);
  await stop();
  await flights.close();
});

test('a job that a living process does meanwhile is not done once more', async () => {
  const { context } = system.bridge;
  const { store, clock } = context;
  // Else the turn of the hour might come meanwhile.
  const untilTurn = (HOUR + 29 * MINUTE - (clock.now() % HOUR)) % HOUR;
  if (untilTurn < 15 * SECOND) await delay(untilTurn + 3 * SECOND);
  const ends = clock.now() + 6 * SECOND;
  const living = { name: 'job keep-progress', holder: newHexId() };
  expect(await takeLease(store, living, { now: clock.now(), until: ends })).toBe(true);
  const before = await readCountedAt(store.durable);
  const [flights, shutdown] = [createSingleFlight(), createShutdown()];
  const stop = startJobs({ ...context, flights, shutdown, processId: newHexId() });
  // Long after the first runs were refused.
  await delay(3 * SECOND);
  await releaseLease(store, living);
  await delay(ends + SECOND - clock.now());
  expect(await readCountedAt(store.durable)).toBe(before);
  shutdown.begin(0);
  await stop();
  await flights.close();
});
