import { sql } from 'kysely';
import { until } from '../support/servers/held-answer.ts';
import { openTwoStores, type TwoStores } from './support/stores.ts';

/** How long a call waits for connections to the database, while all are taken. */

let stores: TwoStores;

afterEach(() => stores.close());

test('PostgreSQL: the wait is told while all connections are taken, and is nothing afterwards', async () => {
  stores = await openTwoStores('postgres');
  const store = stores.one;
  expect(store.connectionWait()).toBe(0);
  const all = Array.from({ length: 60 }, () => sql`select pg_sleep(0.3)`.execute(store.durable));
  await until(async () => store.connectionWait() > 100);
  await Promise.all(all);
  await until(async () => store.connectionWait() === 0);
});

test('PostgreSQL: the wait is told before anybody has waited for so long', async () => {
  stores = await openTwoStores('postgres');
  const store = stores.one;
  const begun = performance.now();
  const all = Array.from({ length: 400 }, () => sql`select pg_sleep(0.05)`.execute(store.durable));
  await until(async () => store.connectionWait() > performance.now() - begun);
  await Promise.all(all);
  expect(store.connectionWait()).toBe(0);
});

test('SQLite: a read has a connection of its own', async () => {
  stores = await openTwoStores('sqlite');
  expect(stores.one.connectionWait()).toBe(0);
});
