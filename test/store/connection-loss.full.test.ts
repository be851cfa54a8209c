import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { ensureAccount } from '../../src/store/accounts/accounts.ts';
import { countLiveUpTo } from '../../src/store/grants/deaths.ts';
import { findMapping } from '../../src/store/tokens/mappings.ts';
import { openStore } from '../../src/store/driver/open-store.ts';
import { isStorageFault } from '../../src/store/driver/storage-fault.ts';
import type { Store } from '../../src/store/driver/store.ts';
import { startPostgres, type TestPostgres } from '../support/database/postgres.ts';

/** Connections that the server cuts: what ran fails as the database's fault, and the store goes on. */

let postgres: TestPostgres;
let store: Store;
let operator: pg.Client;

beforeAll(async () => {
  postgres = await startPostgres();
});

beforeEach(async () => {
  store = await openStore({ kind: 'postgres', url: postgres.url });
  operator = new pg.Client({ connectionString: postgres.url });
  operator.on('error', () => undefined);
  await operator.connect();
});

afterEach(async () => {
  await store.close();
  await operator.end().catch(() => undefined);
});

afterAll(() => postgres.stop());

/** Cuts every connection of the store; how many there were. */
async function cutAll(): Promise<number> {
  const { rows } = await operator.query(
    "select pg_terminate_backend(pid, 10000) from pg_stat_activity where application_name = 'grantbridge'",
  );
  return rows.length;
}

const readAtOnce = (count: number) =>
  Promise.allSettled(Array.from({ length: count }, () => countLiveUpTo(store.durable, 1)));

/** What a caller does with a fault of the database: it asks again. */
async function untilServed<T>(work: () => Promise<T>, tries: number): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isStorageFault(error) || tries <= 1) throw error;
    return untilServed(work, tries - 1);
  }
}

test('connections that are cut while idle are replaced before anybody notices', async () => {
  await readAtOnce(10);
  expect(await cutAll()).toBeGreaterThan(1);
  const answers = await readAtOnce(10);
  expect(answers.filter(({ status }) => status === 'rejected')).toEqual([]);
  expect(await findMapping(store, ['unknown'])).toBeUndefined();
});

test('a query whose connection is cut fails as the fault of the database, and the next one is served', async () => {
  const sleeping = store.first('select pg_sleep(5)::text as slept, $1 as x', ['x']).catch((e: unknown) => e);
  while ((await cutAll()) === 0);
  expect(isStorageFault(await sleeping)).toBe(true);
  expect(await countLiveUpTo(store.durable, 1)).toBe(0);
});

test('a transaction whose connection is cut has changed nothing and fails as the fault of the database', async () => {
  const cut = store.transaction(async (tx) => {
    await ensureAccount(tx, 'cut', 1);
    await cutAll();
    await ensureAccount(tx, 'cut-too', 1);
  });
  expect(isStorageFault(await cut.catch((error: unknown) => error))).toBe(true);
  const accounts = await store.durable.selectFrom('accounts').selectAll().execute();
  expect(accounts).toEqual([]);
});

test('a server that crashes is a fault while it is away, and served again after it is back', async () => {
  await ensureAccount(store.durable, 'kept', 1);
  const ended = new AbortController();
  const restarting = postgres.restart('SIGKILL').then(() => ended.abort());
  const faults: unknown[] = [];
  while (!ended.signal.aborted) {
    await countLiveUpTo(store.durable, 1).catch((error: unknown) => faults.push(error));
    await delay(1);
  }
  await restarting;
  expect(faults.length).toBeGreaterThan(0);
  expect(faults.filter((fault) => !isStorageFault(fault))).toEqual([]);
  await untilServed(() => countLiveUpTo(store.durable, 1), 20);
  const accounts = await store.durable.selectFrom('accounts').select('account_id').execute();
  expect(accounts).toEqual([{ account_id: 'kept' }]);
});
