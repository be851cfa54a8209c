import { format } from 'node:util';
import type { Logger } from './logger.ts';

/**
 * What libraries and Node itself print would stand in the log as raw text, where no reader of JSON lines expects it. Here
 * it becomes lines of the log, redacted like all others. Our own code never uses the console.
 */

const LEVELS = {
  log: 'info',
  info: 'info',
  warn: 'warn',
  error: 'error',
  debug: 'debug',
  trace: 'debug',
} as const;

/** A longer text is cut: some libraries print whole objects. */
const TEXT_MAX = 2000;

/** For a process that serves, before it loads anything that may print. */
export function takeLibraryLines(logger: Pick<Logger, 'log' | 'warn'>): void {
  for (const [method, level] of Object.entries(LEVELS))
    Reflect.set(console, method, (...values: unknown[]) => {
      logger.log(level, 'a library printed', { text: format(...values).slice(0, TEXT_MAX) });
    });
  // Node's own listener prints the warning.
  process.removeAllListeners('warning');
  process.on('warning', (error) => logger.warn('a warning of Node', { error }));
  // depd, which express and its parts use, prints only where nobody listens (its README, `process.on('deprecation')`).
  process.on('deprecation' as 'warning', (error) => logger.warn('a library warns', { error }));
}
