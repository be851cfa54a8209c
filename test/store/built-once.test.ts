import { builtOnce, changedOne } from '../../src/store/driver/built-once.ts';
import type { Store } from '../../src/store/driver/store.ts';
import { databaseKinds, openTwoStores, type TwoStores } from './support/stores.ts';

/** A statement that is built once runs with the values of each execution, on every database and in transactions. */

interface Lease {
  name: string;
  holder: string;
  until: number;
}

let built = 0;
const keep = builtOnce((db: Store['volatile'], { name, holder, until }: Lease) => {
  built += 1;
  return db
    .insertInto('leases')
    .values({ name, holder, until })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ holder, until }))
    .compile();
});
const renew = builtOnce((db: Store['volatile'], { holder, until }: Omit<Lease, 'name'>) =>
  db.updateTable('leases').set({ until }).where('holder', '=', holder).compile(),
);

const leases = ({ volatile }: Store) => volatile.selectFrom('leases').selectAll().orderBy('name').execute();

describe.each(databaseKinds)('on %s', (kind) => {
  let stores: TwoStores;

  beforeAll(async () => {
    stores = await openTwoStores(kind);
  });

  beforeEach(async () => {
    await stores.one.volatile.deleteFrom('leases').execute();
  });

  afterAll(() => stores.close());

  test('each execution has its own values, also where a value stands twice', async () => {
    const before = built;
    await keep(stores.one.volatile, { name: 'a', holder: 'one', until: 1 });
    await keep(stores.one.volatile, { name: 'b', holder: 'two', until: 2 });
    await keep(stores.one.volatile, { name: 'a', holder: 'three', until: 3 });
    expect(await leases(stores.two)).toEqual([
      { name: 'a', holder: 'three', until: 3 },
      { name: 'b', holder: 'two', until: 2 },
    ]);
    expect(built - before).toBeLessThanOrEqual(1);
  });

  test('executions at once do not mix their values', async () => {
    const names = Array.from({ length: 50 }, (_, n) => `n${String(n).padStart(2, '0')}`);
    await Promise.all(
      names.map((name, n) =>
        keep((n % 2 ? stores.one : stores.two).volatile, { name, holder: `of ${name}`, until: n }),
      ),
    );
    expect(await leases(stores.one)).toEqual(
      names.map((name, n) => ({ name, holder: `of ${name}`, until: n })),
    );
  });

  test('it runs in a transaction, and is undone with the transaction', async () => {
    const fail = stores.one.volatile.transaction().execute(async (tx) => {
      await keep(tx, { name: 'a', holder: 'one', until: 1 });
      throw new Error('undo');
    });
    await expect(fail).rejects.toThrow('undo');
    expect(await leases(stores.one)).toEqual([]);
    await stores.one.volatile.transaction().execute((tx) => keep(tx, { name: 'a', holder: 'one', until: 1 }));
    expect(await leases(stores.one)).toHaveLength(1);
  });

  test('it tells how many rows it changed', async () => {
    await keep(stores.one.volatile, { name: 'a', holder: 'one', until: 1 });
    const results = [
      await renew(stores.one.volatile, { holder: 'one', until: 2 }),
      await renew(stores.one.volatile, { holder: 'nobody', until: 2 }),
    ];
    expect(results.map(changedOne)).toEqual([true, false]);
  });

  test('a statement that computes with a value is refused while it is built', async () => {
    const wrong = builtOnce((db: Store['volatile'], { until }: Pick<Lease, 'until'>) =>
      db
        .selectFrom('leases')
        .selectAll()
        .where('until', '<', until + 1)
        .compile(),
    );
    expect(() => wrong(stores.one.volatile, { until: 1 })).toThrow('the value until is not known');
  });
});
