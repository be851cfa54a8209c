import type { Logger } from './logger.ts';

/** Counts that are held back from the log for a minute. A process that stops tells them at once. */

/** What each logger has still to be told. */
const waiting = new WeakMap<Logger, Set<() => void>>();

/** Tells a count once: after `minute` milliseconds, or when the process stops before. */
export function tellLater(logger: Logger, minute: number, tell: () => void): void {
  const ofLogger = waiting.get(logger) ?? new Set();
  waiting.set(logger, ofLogger);
  const tellOnce = () => {
    clearTimeout(timer);
    ofLogger.delete(tellOnce);
    tell();
  };
  const timer = setTimeout(tellOnce, minute).unref();
  ofLogger.add(tellOnce);
}

/**
 * Tells every count that the logger has still to be told. Call at a stop, once nothing is counted any more. A count that
 * begins anew while it is told waits for its own minute.
 */
export function tellHeldCounts(logger: Logger): void {
  const held = [...(waiting.get(logger) ?? [])];
  for (const tell of held) tell();
}
