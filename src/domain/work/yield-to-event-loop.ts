import { setImmediate } from 'node:timers/promises';

/**
 * SQLite answers without giving way to anything else: after each piece of long work the process turns to what waits. Long
 * background work gives the signal of the stop and ends here once that aborts: every piece is whole by itself, and the next
 * start takes the work up again.
 * @throws {Error} named AbortError, when the process stops
 */
export const yieldToEventLoop = (stopping?: AbortSignal): Promise<void> =>
  setImmediate(undefined, stopping && { signal: stopping });
