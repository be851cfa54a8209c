import { deleteLeasesBefore, releaseLease, takeLease } from '../../../src/store/work/leases.ts';
import { databaseKinds, openTwoStores, type TwoStores } from '../support/stores.ts';

/** A lease has one holder at a time, until it ends. */

describe.each(databaseKinds)('on %s', (kind) => {
  let stores: TwoStores;

  beforeAll(async () => {
    stores = await openTwoStores(kind);
  });

  beforeEach(async () => {
    await stores.one.volatile.deleteFrom('leases').execute();
  });

  afterAll(() => stores.close());

  const ours = { name: 'n', holder: 'ours' };
  const theirs = { name: 'n', holder: 'theirs' };
  const take = (lease: typeof ours, now: number) =>
    takeLease(lease === ours ? stores.one : stores.two, lease, { now, until: now + 100 });

  test('of many takers at once, from two connections, exactly one gets it', async () => {
    const takers = Array.from({ length: 40 }, (_, n) =>
      takeLease(n % 2 ? stores.one : stores.two, { name: 'n', holder: `h${n}` }, { now: 0, until: 100 }),
    );
    expect((await Promise.all(takers)).filter(Boolean)).toHaveLength(1);
  });

  test('of many takers of a lease that has ended exactly one gets it', async () => {
    await take(ours, 0);
    const takers = Array.from({ length: 40 }, (_, n) =>
      takeLease(n % 2 ? stores.one : stores.two, { name: 'n', holder: `h${n}` }, { now: 100, until: 200 }),
    );
    expect((await Promise.all(takers)).filter(Boolean)).toHaveLength(1);
  });

  test('it is held until its time, and its holder may renew it', async () => {
    expect([await take(ours, 0), await take(theirs, 99)]).toEqual([true, false]);
    expect([await take(ours, 50), await take(theirs, 149), await take(theirs, 150)]).toEqual([
      true,
      false,
      true,
    ]);
    expect(await take(ours, 151)).toBe(false);
  });

  test('a holder whose time has passed gives back nothing of the next one', async () => {
    await take(ours, 0);
    await take(theirs, 100);
    await releaseLease(stores.one, ours);
    expect(await take(ours, 101)).toBe(false);
    await releaseLease(stores.two, theirs);
    expect(await take(ours, 101)).toBe(true);
  });

  test('leases of other names are other leases', async () => {
    await take(ours, 0);
    expect(await take({ name: 'm', holder: 'theirs' }, 0)).toBe(true);
  });

  test('what holders that died have left is removed, and no more', async () => {
    await take(ours, 0);
    await take({ name: 'm', holder: 'theirs' }, 1);
    await deleteLeasesBefore(stores.two, 101);
    expect(await stores.one.volatile.selectFrom('leases').select('name').execute()).toEqual([{ name: 'm' }]);
  });
});
