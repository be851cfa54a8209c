import { createFleetSize } from '../../src/domain/grants/refresh/fleet-size.ts';
import type { Store } from '../../src/store/driver/store.ts';
import { keepAppAndAccount, keepGrant } from '../store/support/rows.ts';
import { databaseKinds, openTwoStores, type TwoStores } from '../store/support/stores.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';

/** A large fleet is not counted anew for each death; a small one is. */

const LARGE = 1100;

const from = (first: number, count: number) => Array.from({ length: count }, (_, at) => `g${first + at}`);

const clock = new SettableClock();

/** The same store, and how many statements went to its database. */
function watched(store: Store) {
  const seen = { statements: 0 };
  const durable = store.durable.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      seen.statements += 1;
      return result;
    },
  });
  return { seen, store: { ...store, durable } };
}

describe.each(databaseKinds)('on %s', (kind) => {
  let stores: TwoStores;

  beforeAll(async () => {
    stores = await openTwoStores(kind);
    await keepAppAndAccount(stores.one.durable);
    for (let number = 0; number < LARGE; number += 1) await keepGrant(stores.one.durable, `g${number}`);
  }, 60_000);

  afterAll(() => stores.close());

  async function end(ids: readonly string[]): Promise<void> {
    const dead = { state: 'dead', dead_cause: 'refused', dead_at: 0 } as const;
    await stores.one.durable.updateTable('grants').set(dead).where('id', 'in', ids).execute();
  }

  test('a large fleet is counted once a minute, whoever asks', async () => {
    const { seen, store } = watched(stores.one);
    const fleet = createFleetSize({ store, clock });
    expect(await Promise.all([fleet.count(), fleet.count()])).toEqual([LARGE, LARGE]);
    const once = seen.statements;
    await end(from(0, 50));
    expect(await fleet.count()).toBe(LARGE);
    // Whether it is large is the one question of each time.
    expect(seen.statements).toBe(once + 1);
    clock.advance(60_000);
    expect(await fleet.count()).toBe(LARGE - 50);
  });

  test('a small one is counted each time', async () => {
    const fleet = createFleetSize({ store: stores.one, clock });
    await end(from(0, 200));
    expect(await fleet.count()).toBe(LARGE - 200);
    await end(from(200, 1));
    expect(await fleet.count()).toBe(LARGE - 201);
  });
});
