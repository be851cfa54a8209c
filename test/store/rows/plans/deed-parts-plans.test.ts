import { listPartsOf } from '../../../../src/store/history/deeds.ts';
import { plansOf } from '../../support/plans.ts';
import { openTwoStores, type TwoStores } from '../../support/stores.ts';

/** The deeds of a page of entries are looked up one by one, however many parts are kept. */

let stores: TwoStores;

beforeAll(async () => {
  stores = await openTwoStores('sqlite');
});

afterAll(() => stores.close());

test.each([1, 1000])(
  'the parts of the deeds of %i of a page’s entries are read by their entries',
  async (count) => {
    const ids = Array.from({ length: count }, (_, place) => place + 1);
    const plans = await plansOf(stores.one.durable, (db) => listPartsOf(db, ids));
    expect(plans).toEqual([
      'SEARCH events USING INTEGER PRIMARY KEY (rowid=?)',
      expect.stringMatching(/^SEARCH deed_parts USING .*\(entry_uid=\?\)$/),
    ]);
  },
);
