import { setTimeout as delay } from 'node:timers/promises';
import { type DatabaseClock, startDatabaseClock } from '../../src/store/driver/database-clock.ts';
import type { Store } from '../../src/store/driver/store.ts';
import { until } from '../support/servers/held-answer.ts';
import { databaseKinds, openTwoStores, type TwoStores } from './support/stores.ts';

/** The clock of all processes is the database's, carried on between two looks at it. */

const SECOND = 1000;
const HOUR = 3600 * SECOND;

/** Two readings of one time; a host may give the machine of the tests no processor for a second between them. */
const CLOSE = 3 * SECOND;

describe.each(databaseKinds)('on %s', (kind) => {
  let stores: TwoStores;
  let clock: DatabaseClock;

  beforeEach(async () => {
    stores = await openTwoStores(kind);
  });

  afterEach(async () => {
    clock.stop();
    await stores.close();
  });

  /** The real database, whose machine is set differently from this one. */
  const behind = (offset: { ms: number }): Store => ({
    ...stores.one,
    now: async () => (await stores.one.now()) + offset.ms,
  });

  test('it tells the time of the database, in whole milliseconds, and never backwards', async () => {
    clock = await startDatabaseClock(stores.one);
    const told = [clock.now(), await stores.two.now(), clock.now()];
    expect(Math.abs((told[1] ?? 0) - (told[0] ?? 0))).toBeLessThan(CLOSE);
    expect(told.every(Number.isInteger)).toBe(true);
    let last = clock.now();
    for (const end = performance.now() + 1500; performance.now() < end; await delay(7)) {
      expect(clock.now()).toBeGreaterThanOrEqual(last);
      last = clock.now();
    }
  });

  test('where the machine and the database differ the database is right, and the difference is told', async () => {
    clock = await startDatabaseClock(behind({ ms: HOUR }));
    expect(Math.abs(clock.now() - Date.now() - HOUR)).toBeLessThan(CLOSE);
    expect(Math.abs(clock.machineOffset() + HOUR)).toBeLessThan(CLOSE);
  });

  test('a database that is set forward is followed at the next look', async () => {
    const offset = { ms: 0 };
    clock = await startDatabaseClock(behind(offset));
    offset.ms = HOUR;
    await until(() => Math.abs(clock.now() - Date.now() - HOUR) < CLOSE);
  });

  test('a database that is set back is not followed at once: no code may live longer for it', async () => {
    const offset = { ms: 0 };
    let looks = 0;
    const store = behind(offset);
    clock = await startDatabaseClock({ ...store, now: () => store.now().finally(() => (looks += 1)) });
    const [before, seen] = [clock.now(), looks];
    offset.ms = -HOUR;
    await until(() => looks >= seen + 2);
    expect(clock.now()).toBeGreaterThan(before + SECOND);
  });

  test('while the database is away it goes on, and says how long it has heard nothing', async () => {
    let isAway = false;
    const away: Store = {
      ...stores.one,
      now: () => (isAway ? Promise.reject(new Error('away')) : stores.one.now()),
    };
    clock = await startDatabaseClock(away);
    isAway = true;
    const before = clock.now();
    await delay(1200);
    expect(Math.abs(clock.now() - before - 1200)).toBeLessThan(CLOSE);
    expect(clock.sampleAge()).toBeGreaterThan(1100);
    isAway = false;
    const aged = clock.sampleAge();
    await until(() => clock.sampleAge() < aged);
  });
});
