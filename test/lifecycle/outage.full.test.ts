import { setTimeout as delay } from 'node:timers/promises';
import { setDate } from '../../src/store/lifecycle/lifecycle-dates.ts';
import { until } from '../support/servers/held-answer.ts';
import { openStoreBreaker } from '../support/database/store-breaker.ts';
import { startAdminBridge } from './support/admin-bridge.ts';

/** An outage of the database that lasts longer than the dates are kept. */

const DATE = Date.now() + 60_000;

test('what is planned after an outage of the database is known within two seconds all the same', async () => {
  const admin = await startAdminBridge();
  const { bridge } = admin;
  const { store, lifecycle } = bridge.context;
  const breaker = await openStoreBreaker(bridge.database);
  await breaker.whileMissing('lifecycle_dates', () => delay(6500));
  await breaker.close();
  await store.transaction((tx) =>
    setDate(tx, { name: 'sunset', at: DATE, changed_at: 0, changed_by: 'test' }),
  );
  await until(() => lifecycle.current().dates.sunset === DATE, 5000);
  expect(lifecycle.current().dates).toEqual({ sunset: DATE });
  await admin.stop();
});
