import { SECOND, STOP_LIMIT } from '../lifetimes.ts';
import type { Logger } from './logger.ts';

/** Longer than a stop takes when all its parts end in time; without the drain before the stop. */
export const STOP_TAKES = STOP_LIMIT + 10 * SECOND;

/** A recurring error is not logged for ever. */
const ERRORS_LOGGED = 10;

export interface LastResortOptions {
  logger: Logger;
  /** Keeps for the next start that this process ended by an error. Must not fail. */
  mark?: () => void;
  /** Accepts no new work. Resolves when running work has ended and memory is stored. */
  drain?: () => Promise<void>;
  /** How long the drain may take, in milliseconds. */
  limit?: number;
}

async function drainAndExit({ logger, drain, limit = STOP_TAKES }: LastResortOptions): Promise<void> {
  setTimeout(() => {
    logger.error('ALARM: running work did not end in time, the process ends without it', { limit });
    process.exit(1);
  }, limit);
  try {
    await drain?.();
  } catch (error) {
    logger.error('the process could not be drained', { error });
  }
  process.exit(1);
}

/**
 * For an uncaught error. Node would print the whole error, with attached headers and bodies; here the error is logged
 * redacted. The state of the process is unknown, so the process ends with 1. But other calls are innocent: an answer on
 * its way, or a token pair that exists in memory alone, is stored first. Further errors neither shorten nor restart the
 * drain.
 */
export function installLastResort(lastResort: LastResortOptions): void {
  const { logger, mark } = lastResort;
  let errors = 0;
  const end = (error: unknown) => {
    errors += 1;
    process.exitCode = 1;
    if (errors === 1) mark?.();
    if (errors <= ERRORS_LOGGED)
      logger.error('ALARM: an error that nobody caught ends the process', { error });
    if (errors === 1) void drainAndExit(lastResort);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}
