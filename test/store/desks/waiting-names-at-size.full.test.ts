import { sql } from 'kysely';
import type { Database } from '../../../src/store/driver/store.ts';
import { ACCOUNT, APP, keepAppAndAccount } from '../support/rows.ts';
import { openTwoStores, type TwoStores } from '../support/stores.ts';

/** Many tokens under one address are counted in the time of their statement, and not of their number times itself. */

const TOKENS = 5_000;

/** Milliseconds. Counted token by token it took ten seconds. */
const TAKES_MOST = 4_000;

const NAME = 'email:many@list.example';

let stores: TwoStores;

beforeAll(async () => {
  stores = await openTwoStores('postgres');
  await keepAppAndAccount(stores.one.durable);
});
afterAll(() => stores.close());

const insertMany = (tx: Database) =>
  sql`insert into mappings (id, token_digest, client_id, state, source, created_at, updated_at, account_email)
    select 't' || n, 'k.' || n, ${APP}, 'unmapped', 'imported', 1, 1, 'many@list.example'
    from generate_series(1, ${sql.lit(TOKENS)}) n`.execute(tx);

const pinMany = (tx: Database) =>
  sql`update mappings set account_id = ${ACCOUNT}, updated_at = 2`.execute(tx);

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

const kept = async (db: Database) => ({
  waiting: await db.selectFrom('waiting_names').select(['name', 'tokens']).execute(),
  people: (await db.selectFrom('people').select('person').execute()).filter(({ person }) => person === NAME),
});

test('tokens of one address come and get an account, both in one transaction', async () => {
  const { one } = stores;
  const takes = await timeOf(() =>
    one.transaction(async (tx) => {
      await insertMany(tx);
      expect(await kept(tx)).toEqual({
        waiting: [{ name: NAME, tokens: TOKENS }],
        people: [{ person: NAME }],
      });
      await pinMany(tx);
    }),
  );
  expect(await kept(one.durable)).toEqual({ waiting: [], people: [] });
  expect(takes).toBeLessThan(TAKES_MOST);
});
