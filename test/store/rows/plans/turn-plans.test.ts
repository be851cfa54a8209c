import { listIdle, listUnsettled } from '../../../../src/store/grants/grants.ts';
import { listDueOwed } from '../../../../src/store/grants/owed-revocations.ts';
import { listRestored } from '../../../../src/store/grants/restored.ts';
import { outdateOtherDays } from '../../../../src/store/reminders/reminders.ts';
import { redateRows } from '../../../../src/store/work/redate-waiting.ts';
import { plansOf } from '../../support/plans.ts';
import { keepAppAndAccount, keepGrant } from '../../support/rows.ts';
import { openTwoStores, type TwoStores } from '../../support/stores.ts';

/** The jobs read the grants whose turn it is by an index, in its order, however many wait. */

let stores: TwoStores;

beforeAll(async () => {
  stores = await openTwoStores('sqlite');
  await keepAppAndAccount(stores.one.durable);
  for (let number = 0; number < 50; number += 1) await keepGrant(stores.one.durable, `g${number}`);
});

afterAll(() => stores.close());

test('idle grants, and those of them that failed before, each by its own part of one index alone', async () => {
  const asked = { before: 500, now: 1_000, limit: 10 };
  const plans = await plansOf(stores.one.durable, (db) => listIdle(db, asked));
  expect(plans).toEqual([
    'SEARCH grants USING INDEX grants_ready_in_turn (retry_at=? AND rotated_at<?)',
    'SEARCH grants USING INDEX grants_ready_in_turn (retry_at>?)',
  ]);
});

test('owed revocations that are new, and those that failed before', async () => {
  const plans = await plansOf(stores.one.durable, (db) => listDueOwed(db, 1_000));
  expect(plans).toEqual([
    'SEARCH owed_revocations USING INDEX owed_revocations_new (next_at<?)',
    'SEARCH owed_revocations USING INDEX owed_revocations_failed (next_at<?)',
  ]);
});

test('grants in doubt, and those of a take-over', async () => {
  const { durable } = stores.one;
  const unsettled = await plansOf(durable, (db) => listUnsettled(db, { now: 1_000, limit: 10 }));
  expect(unsettled[0]).toMatch(/INDEX grants_unsettled/);
  const restored = await plansOf(durable, (db) => listRestored(db, { now: 1_000, quiet: 1, limit: 10 }));
  expect(restored).toEqual([expect.stringContaining('INDEX grants_restored_in_turn')]);
});

test('what a mail outdates, by its person and the apps of that person', async () => {
  const told = { mailId: 'm', person: 'account:a', names: ['account:a'], now: 1 };
  const plans = await plansOf(stores.one.durable, (db) => outdateOtherDays(db, told));
  expect(plans).toContain('SEARCH told USING INDEX reminders_once (person=? AND client_id=? AND role=?)');
});

test('what a wrong clock dated too far ahead', async () => {
  const wrong = { latest: 1_000, latestRest: 1, latestOwed: 1_000, next: 10 };
  const plans = await plansOf(stores.one.durable, (db) => redateRows(db, wrong));
  expect(plans).toEqual([
    'SEARCH mails USING INDEX mails_by_next (next_at>?)',
    'SEARCH webhook_deliveries USING INDEX webhook_deliveries_open (next_at>?)',
    // There are a few of them.
    'SCAN webhooks',
    'SEARCH owed_revocations USING INDEX owed_revocations_new (next_at>?)',
    'SEARCH owed_revocations USING INDEX owed_revocations_failed (next_at>?)',
  ]);
});
