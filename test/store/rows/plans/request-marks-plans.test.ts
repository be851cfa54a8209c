import { eventsOfRequest, writesOfRequest } from '../../../../src/store/support/request-marks.ts';
import { plansOf } from '../../support/plans.ts';
import { openTwoStores, type TwoStores } from '../../support/stores.ts';

/** What one request left is found by an index, however long the history is. */

let stores: TwoStores;

beforeAll(async () => {
  stores = await openTwoStores('sqlite');
});

afterAll(() => stores.close());

test('no plan scans the history or the journal of writes', async () => {
  const plans = await plansOf(stores.one.durable, async (db) => {
    await eventsOfRequest(db, 'r1', { after: 7, limit: 100 });
    await writesOfRequest(db, 'r1', 100);
  });
  expect(plans).toEqual(
    expect.arrayContaining([
      expect.stringContaining('INDEX events_by_request '),
      expect.stringContaining('INDEX post_writes_by_request '),
    ]),
  );
  expect(plans.filter((line) => line.startsWith('SCAN '))).toEqual([]);
});
