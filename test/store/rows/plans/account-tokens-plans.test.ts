import { listIdsOfAccount } from '../../../../src/store/tokens/mapping-ids.ts';
import { plansOf } from '../../support/plans.ts';
import { openTwoStores, type TwoStores } from '../../support/stores.ts';

/** A page of the tokens of an account reads the tokens of the page, however many the account has. */

let stores: TwoStores;

beforeAll(async () => {
  stores = await openTwoStores('sqlite');
});

afterAll(() => stores.close());

test('the tokens of an account are read in the order of their ids, and not sorted', async () => {
  const asked = { after: '5e1f', limit: 101 };
  expect(await plansOf(stores.one.durable, (db) => listIdsOfAccount(db, 'a', asked))).toEqual([
    'SEARCH mappings USING COVERING INDEX mappings_of_account (account_id=? AND id>?)',
  ]);
});
