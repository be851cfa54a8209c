import { setImmediate } from 'node:timers/promises';

/**
 * SQLite calls block the whole process. So long work calls this function after each piece, and waiting work gets its
 * turn. Long background work passes the signal of the stop and ends here when the signal aborts. Each piece is complete
 * in itself, and the next start continues the work.
 * @throws {Error} named AbortError, when the process stops
 */
export const yieldToEventLoop = (stopping?: AbortSignal): Promise<void> =>
  setImmediate(undefined, stopping && { signal: stopping });
