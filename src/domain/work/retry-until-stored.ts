import { setTimeout as delay } from 'node:timers/promises';
import { isStorageFault } from '../../store/driver/storage-fault.ts';
import type { WorkDeps } from './deps.ts';

const LONGEST_PAUSE = 1000;

/**
 * While the process stops, the retries end after this many attempts, so that a missing database cannot hold up the
 * stop.
 */
const ATTEMPTS_WHILE_CLOSING = 20;

/**
 * Writes a result that exists nowhere else, such as the outcome of a presentation. If the database is busy, full or
 * away, the write is repeated for as long as the process lives (docs/decisions/0003). A late write is safe, because it
 * compares the version.
 */
export async function retryUntilStored<T>(
  context: WorkDeps,
  what: string,
  write: () => Promise<T>,
): Promise<T> {
  let left = ATTEMPTS_WHILE_CLOSING;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      if (context.flights.isClosing()) left -= 1;
      if (!isStorageFault(error) || left <= 0) throw error;
      const isWorthALine = Number.isInteger(Math.log2(attempt));
      if (isWorthALine) context.logger.error(`ALARM: ${what} cannot be stored yet`, { attempt, error });
      await delay(Math.min(50 * attempt, LONGEST_PAUSE));
    }
  }
}
