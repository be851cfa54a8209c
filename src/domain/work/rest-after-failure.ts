import { MINUTE, SECOND } from '../../shared/lifetimes.ts';
import type { Logger } from '../../shared/log/logger.ts';

interface Tolerance {
  logger: Logger;
  /** What is logged, at most once a minute. */
  message: string;
  /** How long it rests after its first failure, in milliseconds; twice as long after each further one. */
  firstRest: number;
  /** The longest that it rests, in milliseconds. */
  longestRest?: number;
}

const LONGEST_REST = 30 * SECOND;

/**
 * Work that is taken up again and again, and whose failure costs nobody a call. It rests after a failure: a SQLite file
 * that another process keeps locked holds up this one for seconds whenever it is asked to write.
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
