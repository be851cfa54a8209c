import { PassThrough } from 'node:stream';
import { transports } from 'winston';
import { watchLifecycle } from '../../src/domain/lifecycle/lifecycle-watch.ts';
import { createLogger } from '../../src/shared/log/logger.ts';
import { machineClock } from '../../src/shared/clock.ts';
import { openStore } from '../../src/store/driver/open-store.ts';
import { choosePlace, databaseKinds } from '../store/support/stores.ts';

/** The watch of the dates at the end of a process. */

test.each(databaseKinds)('no reading is left behind when the watch has stopped, on %s', async (kind) => {
  const place = await choosePlace(kind);
  const store = await openStore(place.location);
  let logged = '';
  const stream = new PassThrough().on('data', (chunk: Buffer) => (logged += chunk.toString()));
  const logger = createLogger({ level: 'error', name: 'watch' });
  logger.add(new transports.Stream({ stream, level: 'warn' }));
  const watch = await watchLifecycle({ store, clock: machineClock, logger });
  let isRead = false;
  const reading = watch.refresh().finally(() => (isRead = true));
  await watch.stop();
  expect(isRead).toBe(true);
  await store.close();
  await expect(reading).resolves.toBeUndefined();
  expect(logged).toBe('');
  await place.remove();
});
