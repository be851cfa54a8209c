import { STOP_LIMIT } from '../../shared/lifetimes.ts';

/**
 * How the process comes to its end. Calls go on being answered for the drain; after it no call is accepted, and what is
 * under way has STOP_LIMIT to end. Background work ends at once, between two of its pages.
 */
export interface Shutdown {
  /** Aborts when the stop begins. */
  signal: AbortSignal;
  /** Begins the stop; calls are accepted for `drain` more milliseconds. A second one can only bring the end nearer. */
  begin(drain: number): void;
  /** Whether work of up to `duration` milliseconds, begun now, ends before the process does. */
  leavesTimeFor(duration: number): boolean;
}

/** The end of one process, which has not begun. */
export function createShutdown(): Shutdown {
  const controller = new AbortController();
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
