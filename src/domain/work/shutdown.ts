import { setMaxListeners } from 'node:events';
import { STOP_LIMIT } from '../../shared/lifetimes.ts';

/**
 * How the process stops. Calls are still answered during the drain. Afterwards no call is accepted, and running work
 * has STOP_LIMIT to end. Background work ends at once, between two of its pages.
 */
export interface Shutdown {
  /** Aborts when the stop begins. */
  signal: AbortSignal;
  /** Begins the stop. Calls are accepted for `drain` more milliseconds. A second call can only bring the end nearer. */
  begin(drain: number): void;
  /** Whether work of up to `duration` milliseconds would end before the process if it began now. */
  leavesTimeFor(duration: number): boolean;
}

/** Creates the shutdown of one process; the stop has not begun. */
export function createShutdown(): Shutdown {
  const controller = new AbortController();
  // Every piece of background work listens while it waits, and Node would warn of the eleventh.
  setMaxListeners(0, controller.signal);
  let endsAt = Number.POSITIVE_INFINITY;
  return {
    signal: controller.signal,
    begin(drain) {
      endsAt = Math.min(endsAt, performance.now() + drain + STOP_LIMIT);
      controller.abort();
    },
    leavesTimeFor: (duration) => performance.now() + duration <= endsAt,
  };
}
