import type { Clock } from '../../shared/clock.ts';
import { SECOND } from '../../shared/lifetimes.ts';
import type { Logger } from '../../shared/log/logger.ts';
import { createNextRun } from '../../shared/next-run.ts';
import type { Store } from '../../store/driver/store.ts';
import type { Lifecycle } from './lifecycle.ts';
import { readLifecycle } from './read-lifecycle.ts';
import { restAfterFailure } from '../work/rest-after-failure.ts';

/**
 * The lifecycle as this process knows it. What is planned two seconds ahead or more is known to every process before it
 * begins, so that all of them change their answers in the same millisecond; without the database the last reading counts.
 */
export interface LifecycleWatch {
  current(): Lifecycle;
  /** Reads it anew, for whoever has just changed it. */
  refresh(): Promise<void>;
  stop(): void;
}

const READ_EVERY = 1 * SECOND;

interface Parts {
  store: Pick<Store, 'durable'>;
  clock: Pick<Clock, 'now'>;
  logger: Logger;
}

/** Reads it once, then every second. */
export async function watchLifecycle(parts: Parts): Promise<LifecycleWatch> {
  const read = () => readLifecycle(parts.store.durable, parts.clock.now());
  let known = await read();
  const reading = createNextRun(async () => {
    known = await read();
  });
  const refresh = restAfterFailure(
    {
      logger: parts.logger,
      message: 'the dates cannot be read, the last ones count',
      // No turn is left out: what was planned two seconds ahead would begin unknown to this process.
      firstRest: READ_EVERY / 2,
      longestRest: READ_EVERY / 2,
    },
    reading.begin,
  );
  const timer = setInterval(() => void refresh(), READ_EVERY);
  timer.unref();
  return { current: () => known, refresh: reading.begin, stop: () => clearInterval(timer) };
}
