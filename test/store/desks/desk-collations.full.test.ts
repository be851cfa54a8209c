import { sql } from 'kysely';
import { openStore } from '../../../src/store/driver/open-store.ts';
import type { Store } from '../../../src/store/driver/store.ts';
import { waitingNames } from '../../../src/store/support/desk-sources.ts';
import { countDesk, deskKeys } from '../../../src/store/support/desks.ts';
import { type Collation, freshDatabase, type TestDatabase } from '../../support/database/database.ts';
import { APP, keepAppAndAccount } from '../support/rows.ts';

/** The tabs of a desk are the same whatever order the database of PostgreSQL gives to texts. */

const COLLATIONS: readonly Collation[] = ['C', 'en-US', 'und'];

/** Letters and signs that languages put elsewhere than bytes do. */
const ADDRESSES = [
  'a@list.example',
  '_b@list.example',
  'Zoe@list.example',
  'émile@list.example',
  '0@list.example',
];
const OLD_IDS = ['old-1', 'OLD-2', ':3', 'email:4'];

describe.each(COLLATIONS)('with the collation %s', (collation) => {
  let database: TestDatabase;
  let store: Store;

  beforeAll(async () => {
    database = await freshDatabase(collation);
    store = await openStore({ kind: 'postgres', url: database.url });
    const db = store.durable;
    await keepAppAndAccount(db);
    const fixed = {
      client_id: APP,
      state: 'unmapped',
      source: 'imported',
      created_at: 1,
      updated_at: 1,
    } as const;
    const named = [
      ...ADDRESSES.map((email) => ({ account_email: email })),
      ...OLD_IDS.map((id) => ({ legacy_account_id: id })),
    ];
    for (const [place, name] of named.entries())
      await db
        .insertInto('mappings')
        .values({ ...fixed, ...name, id: `t${place}`, token_digest: `k.${place}` })
        .execute();
  });
  afterAll(async () => {
    await store.close();
    await database.drop();
  });

  test('the database has it', async () => {
    const { rows } = await sql<{ is: boolean }>`select 'a' < 'B' as is`.execute(store.durable);
    expect(rows).toEqual([{ is: collation !== 'C' }]);
  });

  test('each name stands on its own tab', async () => {
    const source = waitingNames(store.durable);
    const [address, oldId] = [ADDRESSES.length, OLD_IDS.length];
    expect(await countDesk(store.durable, source)).toEqual({
      all: address + oldId,
      address,
      'old-id': oldId,
    });
    for (const [tab, most] of [
      ['address', address],
      ['old-id', oldId],
    ] as const)
      expect(await deskKeys(store.durable, source, { tab, position: undefined })).toHaveLength(most);
  });

  async function finds(text: string) {
    const find = { texts: [text], clientIds: [], accountIds: [] };
    return (await countDesk(store.durable, waitingNames(store.durable), find))['all'];
  }

  test('a search finds the name and not the words before it', async () => {
    expect([await finds('list.example'), await finds('old-'), await finds('email')]).toEqual([5, 2, 1]);
  });
});
