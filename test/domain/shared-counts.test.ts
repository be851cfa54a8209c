import { randomBytes } from 'node:crypto';
import { createSharedCounts, type SharedCounts } from '../../src/domain/limits/shared-counts.ts';
import { createVault } from '../../src/shared/secrets.ts';
import { addCounts, deleteEndedCounts } from '../../src/store/limits/counts.ts';
import { databaseKinds, openTwoStores, type TwoStores } from '../store/support/stores.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';

/** Counts of two processes on one database, step by step. */

const START = Date.parse('2026-01-01T00:00:00Z');
const KEY = ['calls', 'app', 'account'];

const key = { id: 'k', secret: randomBytes(32) };
const ring = { active: key, all: [key] };
const vault = createVault(() => ({ digest: ring, sealing: ring, session: ring, history: ring }));

function count(counts: SharedCounts, times: number): number {
  for (let n = 0; n < times; n += 1) counts.count(KEY);
  return counts.look(KEY).points;
}

function addOneEach(store: TwoStores['one'], digests: string[]) {
  const rows = digests.map((key_digest) => ({ key_digest, points: 1, ends_at: START + 60_000 }));
  return addCounts(store, rows, START);
}

describe.each(databaseKinds)('on %s', (kind) => {
  const clocks = [new SettableClock(), new SettableClock()] as const;
  let stores: TwoStores;
  let one: SharedCounts;
  let two: SharedCounts;

  beforeAll(async () => {
    stores = await openTwoStores(kind);
  });

  afterAll(() => stores.close());

  beforeEach(async () => {
    await stores.one.volatile.deleteFrom('counts').execute();
    for (const clock of clocks) clock.set(START);
    one = createSharedCounts({ store: stores.one, clock: clocks[0], vault });
    two = createSharedCounts({ store: stores.two, clock: clocks[1], vault });
  });

  const advance = (ms: number) => clocks.forEach((clock) => clock.advance(ms));

  const rows = () => stores.one.volatile.selectFrom('counts').selectAll().execute();

  test('each knows its own at once, and the others after both have synced', async () => {
    expect([count(one, 5), count(two, 7)]).toEqual([5, 7]);
    await one.sync();
    await two.sync();
    expect([one.look(KEY).points, two.look(KEY).points]).toEqual([5, 12]);
    expect([count(one, 1), count(two, 1)]).toEqual([6, 13]);
    await one.sync();
    await two.sync();
    await one.sync();
    expect([one.look(KEY).points, two.look(KEY).points]).toEqual([14, 14]);
    expect(await rows()).toMatchObject([{ points: 14 }]);
  });

  test('a key that was never counted here is known too', async () => {
    count(one, 60);
    await one.sync();
    await two.sync();
    expect(two.count(KEY)).toEqual({ points: 61, secondsLeft: 60 });
  });

  test('a caller under a limit is written from the event after a twentieth of the limit on, with all its events', async () => {
    const call = (counts: SharedCounts) => counts.countUpTo(60, KEY);
    expect([call(one), call(one), call(one)]).toEqual([true, true, true]);
    await one.sync();
    expect(await rows()).toEqual([]);
    one.count(KEY, { limit: 60 });
    await one.sync();
    await two.sync();
    expect(await rows()).toMatchObject([{ points: 4, ends_at: START + 60_000 }]);
    expect(two.look(KEY).points).toBe(4);
  });

  test('what two processes kept to themselves is added up with the first event that one of them writes', async () => {
    const calls = (counts: SharedCounts, times: number) =>
      Array.from({ length: times }, () => counts.countUpTo(60, KEY)).filter(Boolean).length;
    expect([calls(one, 2), calls(two, 3)]).toEqual([2, 3]);
    expect(calls(two, 57)).toBe(57);
    await two.sync();
    await one.sync();
    expect(one.look(KEY).points).toBe(2);
    expect(calls(one, 1)).toBe(1);
    await one.sync();
    expect(calls(one, 5)).toBe(1);
    expect(await rows()).toMatchObject([{ points: 60 }]);
  });

  test('a sync without news writes nothing', async () => {
    count(one, 1);
    await one.sync();
    advance(1_000);
    await one.sync();
    await two.sync();
    expect(await rows()).toMatchObject([{ changed_at: START }]);
  });

  test('the minute of the first process holds for all, and a new one begins for all', async () => {
    count(one, 60);
    await one.sync();
    advance(30_000);
    count(two, 1);
    await two.sync();
    expect(two.look(KEY)).toEqual({ points: 61, secondsLeft: 30 });
    advance(29_999);
    expect(two.look(KEY)).toEqual({ points: 61, secondsLeft: 1 });
    advance(1);
    expect([one.look(KEY).points, two.look(KEY).points]).toEqual([0, 0]);
    count(two, 2);
    await two.sync();
    await one.sync();
    expect(one.look(KEY)).toEqual({ points: 2, secondsLeft: 60 });
  });

  test('a process whose clock is behind goes over to the new minute without what it had counted before', async () => {
    count(one, 60);
    await one.sync();
    await two.sync();
    clocks[1].advance(60_000);
    clocks[0].advance(59_900);
    count(two, 1);
    await two.sync();
    await one.sync();
    expect(one.look(KEY).points).toBe(1);
  });

  test('a row that a wrong clock dated far into the future counts for nobody and is replaced', async () => {
    count(one, 3);
    await one.sync();
    await stores.one.volatile
      .updateTable('counts')
      .set({ ends_at: START + 86_400_000, points: 500 })
      .execute();
    await two.sync();
    expect(count(two, 1)).toBe(1);
    await two.sync();
    expect(await rows()).toMatchObject([{ points: 1, ends_at: START + 60_000 }]);
  });

  test('a database that fails leaves each with its own, and nothing is counted twice when it is back', async () => {
    count(one, 4);
    await stores.two.volatile.schema.alterTable('counts').renameTo('hidden').execute();
    await expect(one.sync()).rejects.toThrow(/counts/);
    expect(count(one, 1)).toBe(5);
    await stores.two.volatile.schema.alterTable('hidden').renameTo('counts').execute();
    await one.sync();
    expect(one.look(KEY).points).toBe(5);
    count(two, 9);
    await two.sync();
    await one.sync();
    expect(one.look(KEY).points).toBeGreaterThanOrEqual(9);
    expect(one.look(KEY).points).toBeLessThanOrEqual(14);
  });

  test('many keys from both sides at once, in any order, are added up and block nobody', async () => {
    const names = Array.from({ length: 3000 }, (_, n) => `k${n}`);
    for (let round = 0; round < 3; round += 1) {
      await Promise.all([addOneEach(stores.one, names), addOneEach(stores.two, names.toReversed())]);
    }
    const totals = await rows();
    expect([totals.length, new Set(totals.map(({ points }) => points))]).toEqual([3000, new Set([6])]);
  });

  test('what is over is removed, and no more', async () => {
    count(one, 1);
    await one.sync();
    await deleteEndedCounts(stores.one, START + 59_999);
    expect(await rows()).toHaveLength(1);
    await deleteEndedCounts(stores.one, START + 60_000);
    expect(await rows()).toEqual([]);
  });

  test('a key is not readable in the database', async () => {
    one.count(['guesses', 'a-secret-in-the-wrong-field', '10.0.0.1']);
    await one.sync();
    expect(JSON.stringify(await rows())).not.toMatch(/secret|10\.0/);
  });
});
