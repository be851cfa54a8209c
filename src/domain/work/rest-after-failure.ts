import { MINUTE, SECOND } from '../../shared/lifetimes.ts';
import type { Logger } from '../../shared/log/logger.ts';

interface Tolerance {
  logger: Logger;
  /** The log message, written at most once a minute. */
  message: string;
  /** The rest after the first failure, in milliseconds. Each further failure doubles the rest. */
  firstRest: number;
  /** The longest rest, in milliseconds. */
  longestRest?: number;
}

const LONGEST_REST = 30 * SECOND;

/**
 * Repeats background work whose failure makes no call fail. The work rests after a failure: if another process keeps a
 * SQLite file locked, each attempt to write blocks this process for seconds.
 */
export function restAfterFailure(
  { logger, message, firstRest, longestRest = LONGEST_REST }: Tolerance,
  work: () => Promise<void>,
): () => Promise<void> {
  let rest = firstRest;
  let [restsUntil, silentUntil] = [0, 0];
  return async () => {
    if (performance.now() < restsUntil) return;
    try {
      await work();
      rest = firstRest;
    } catch (error) {
      const now = performance.now();
      restsUntil = now + rest;
      rest = Math.min(2 * rest, longestRest);
      if (now < silentUntil) return;
      silentUntil = now + MINUTE;
      logger.warn(message, { error });
    }
  };
}
