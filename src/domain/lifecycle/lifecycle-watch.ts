import type { Clock } from '../../shared/clock.ts';
import { SECOND } from '../../shared/lifetimes.ts';
import type { Logger } from '../../shared/log/logger.ts';
import { createNextRun } from '../../shared/next-run.ts';
import type { Store } from '../../store/driver/store.ts';
import type { Lifecycle } from './lifecycle.ts';
import { readLifecycle } from './read-lifecycle.ts';
import { restAfterFailure } from '../work/rest-after-failure.ts';

/**
 * The lifecycle as this process knows it. Every process learns of a change that is planned at least two seconds ahead
 * before the change begins, so all processes change their answers in the same millisecond. While the database is away,
 * the last reading counts.
 */
export interface LifecycleWatch {
  current(): Lifecycle;
  /** Reads the lifecycle again, for a caller that has just changed it. */
  refresh(): Promise<void>;
  /** Ends the readings. Resolves when none is running: the database may be closed then. */
  stop(): Promise<void>;
}

const READ_EVERY = 1 * SECOND;

interface LifecycleWatchDeps {
  store: Pick<Store, 'durable'>;
  clock: Pick<Clock, 'now'>;
  logger: Logger;
}

/** Reads the lifecycle once, then every second. */
export async function watchLifecycle(parts: LifecycleWatchDeps): Promise<LifecycleWatch> {
  const read = () => readLifecycle(parts.store.durable, parts.clock.now());
  let known = await read();
  const reading = createNextRun(async () => {
    known = await read();
  });
  const refresh = restAfterFailure(
    {
      logger: parts.logger,
      message: 'the dates cannot be read, the bridge keeps the dates that it read last',
      // A failure leaves out no reading. Otherwise this process could miss a change that was planned two seconds ahead.
      firstRest: READ_EVERY / 2,
      longestRest: READ_EVERY / 2,
    },
    reading.begin,
  );
  const timer = setInterval(() => void refresh(), READ_EVERY);
  timer.unref();
  const stop = () => {
    clearInterval(timer);
    return reading.settled();
  };
  return { current: () => known, refresh: reading.begin, stop };
}
