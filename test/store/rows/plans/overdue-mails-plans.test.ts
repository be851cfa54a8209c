import { countOverdue } from '../../../../src/store/reminders/overdue-mails.ts';
import { plansOf } from '../../support/plans.ts';
import { openTwoStores, type TwoStores } from '../../support/stores.ts';

/** Each look of the metrics counts overdue mails, so the mails that were sent cost nothing. */

let stores: TwoStores;

beforeAll(async () => {
  stores = await openTwoStores('sqlite');
});

afterAll(() => stores.close());

test('open mails are read by the index of their next attempt, and their reminders by the index of mails', async () => {
  const plans = await plansOf(stores.one.durable, (db) => countOverdue(db, { before: 1, limit: 100 }));
  expect(plans).toContain('SCAN mails USING INDEX mails_by_next');
  expect(plans.filter((plan) => plan.startsWith('SCAN reminders'))).toEqual([]);
});
