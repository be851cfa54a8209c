import { claimDelivery } from '../../src/store/webhooks/deliveries.ts';
import { plansOf } from '../store/support/plans.ts';
import { openTwoStores, type TwoStores } from '../store/support/stores.ts';

/** Each process asks for due messages all the time, and mostly none is due. */

describe('on sqlite', () => {
  let stores: TwoStores;

  beforeAll(async () => {
    stores = await openTwoStores('sqlite');
  });
  afterAll(() => stores.close());

  test('a claim without a due message looks into one index, and at no webhook', async () => {
    const claim = { claimId: 'c1', now: 1000, until: 2000, isSlow: false, instance: { id: 'i1', epoch: 0 } };
    const plans = await plansOf(stores.one.aside, (db) => claimDelivery(db, claim));
    expect(plans).toEqual([
      expect.stringMatching(/^SEARCH webhook_deliveries USING .*INDEX webhook_deliveries_open/),
    ]);
  });
});
