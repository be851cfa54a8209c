import { insertApp } from '../../src/store/apps/apps.ts';
import { findGrant, insertGrant } from '../../src/store/grants/grants.ts';
import type { Database } from '../../src/store/driver/store.ts';
import { APP, grantRow, keepAppAndAccount } from './support/rows.ts';
import { databaseKinds, openTwoStores, type TwoStores } from './support/stores.ts';

/** A transaction is whole, alone, and its result is as if no other ran beside it. */

async function countUp(tx: Database): Promise<void> {
  const grant = await findGrant(tx, 'g1');
  const suspect_count = (grant?.suspect_count ?? Number.NaN) + 1;
  await tx.updateTable('grants').set({ suspect_count }).where('id', '=', 'g1').execute();
}

async function insertFirst(tx: Database, id: string): Promise<boolean> {
  const found = await tx.selectFrom('owed_revocations').selectAll().execute();
  if (found.length > 0) return false;
  const owed = { id, grant_id: 'g1', token_sealed: 't', next_at: 0, created_at: 0 };
  await tx.insertInto('owed_revocations').values(owed).execute();
  return true;
}

describe.each(databaseKinds)('on %s', (kind) => {
  let stores: TwoStores;
  // Two transactions of one process on two SQLite connections would wait for each other with the thread stopped.
  const storeOf = (n: number) => (kind === 'postgres' && n % 2 ? stores.two : stores.one);

  beforeAll(async () => {
    stores = await openTwoStores(kind);
    await keepAppAndAccount(stores.one.durable);
    await insertGrant(stores.one.durable, grantRow('g1'));
  });

  afterAll(() => stores.close());

  test('what is read is still true at the commit: of many counts up none is lost', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => storeOf(n).transaction(countUp)));
    expect(await findGrant(stores.two.durable, 'g1')).toMatchObject({ suspect_count: 20 });
  });

  test('what is not found is still missing at the commit: of many that insert the first, one does', async () => {
    const inserted = await Promise.all(
      Array.from({ length: 10 }, (_, n) => storeOf(n).transaction((tx) => insertFirst(tx, `o${n}`))),
    );
    expect(inserted.filter(Boolean)).toHaveLength(1);
  });

  test('a transaction that fails has changed nothing, and nobody saw it meanwhile', async () => {
    let seen: unknown;
    const failing = stores.one.transaction(async (tx) => {
      await tx.updateTable('grants').set({ scope: 'wider' }).execute();
      seen = (await findGrant(stores.two.durable, 'g1'))?.scope;
      throw new Error('of the caller');
    });
    await expect(failing).rejects.toThrow('of the caller');
    expect([seen, (await findGrant(stores.one.durable, 'g1'))?.scope]).toEqual([
      'account:read',
      'account:read',
    ]);
  });

  test('an insert that loses to another is no failure, and the rest of its transaction counts', async () => {
    const app = {
      client_id: APP,
      name: 'B',
      owner_account_id: null,
      owner_email: null,
      source: 'registered',
      created_at: 0,
      retired_at: null,
    } as const;
    const details = { callbacks: ['https://b.example/'], secretId: 's', secretDigest: 'd' };
    const answer = await stores.one.transaction(async (tx) => {
      const inserted = await insertApp(tx, app, details);
      await tx.updateTable('grants').set({ scope: 'after' }).execute();
      return inserted;
    });
    expect([answer, (await findGrant(stores.two.durable, 'g1'))?.scope]).toEqual([false, 'after']);
  });
});
