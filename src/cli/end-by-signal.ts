import { constants } from 'node:os';

/** The shell adds this to the number of the signal that ended a program. */
const ENDED_BY_SIGNAL = 128;

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Lets signals end process 1 as they end every other process. The system keeps back from process 1, which the image starts in its
 * container, each signal that it does not listen to. So a SIGTERM during the start of `serve` was lost: the bridge served on until
 * it was killed. Where other code listens too, that code decides. A listener is heard only between two pieces of work, so after a
 * migration of SQLite that has begun.
 */
export function endBySignals(): void {
  if (process.pid !== 1) return;
  for (const signal of SIGNALS)
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(ENDED_BY_SIGNAL + constants.signals[signal]);
    });
}
