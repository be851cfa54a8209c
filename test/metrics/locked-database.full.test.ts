import { setTimeout as delay } from 'node:timers/promises';
import { openStore } from '../../src/store/driver/open-store.ts';
import type { Store } from '../../src/store/driver/store.ts';
import { choosePlace, type Place } from '../store/support/stores.ts';

/** What is told of an SQLite file that another program keeps locked: a long wait, and no quick statements. */

let place: Place;
let store: Store;
let other: Store;
let waits: number[];
let statements: number[];

beforeAll(async () => {
  place = await choosePlace('sqlite');
  const listener = {
    waited: (milliseconds: number) => void waits.push(milliseconds),
    ran: (milliseconds: number) => void statements.push(milliseconds),
  };
  [waits, statements] = [[], []];
  store = await openStore(place.location, listener);
  other = await openStore(place.location);
});

beforeEach(() => {
  [waits, statements] = [[], []];
});

afterAll(async () => {
  await store.close();
  await other.close();
  await place.remove();
});

const write = (to: Store) =>
  to.transaction(async (tx) => void (await tx.deleteFrom('owed_revocations').execute()));

/** Runs work while another program has the lock, which it gives back after some time, or when the work is over. */
async function whileLocked(work: () => Promise<unknown>, milliseconds = 10_000): Promise<void> {
  let working: Promise<unknown> = Promise.resolve();
  await other.transaction(async (tx) => {
    await tx.deleteFrom('owed_revocations').execute();
    working = work();
    await Promise.race([working.catch(() => undefined), delay(milliseconds, undefined, { ref: false })]);
  });
  await working;
}

/** `begin`, the statement, `commit`. */
const STATEMENTS = 3;

test('tries that meet the lock are no statements, and the wait for the lock is told', async () => {
  await whileLocked(() => write(store), 300);
  expect(statements.length).toBeLessThanOrEqual(STATEMENTS);
  expect(Math.max(...waits)).toBeGreaterThan(250);
});

test('the wait is told too where the lock never comes free', async () => {
  await whileLocked(() => expect(write(store)).rejects.toMatchObject({ code: 'SQLITE_BUSY' }));
  expect(statements).toEqual([]);
  expect(Math.max(...waits)).toBeGreaterThan(4900);
});
