import type { Logger } from './logger.ts';

/**
 * For what nobody caught: Node would print the whole error, headers and bodies that hang on it included. It is written
 * as a redacted line, and the process ends, for its state is unknown.
 */
export function installLastResort(logger: Logger): void {
  const end = (error: unknown) => {
    logger.error('ALARM: an error that nobody caught ends the process', { error });
    process.exitCode = 1;
    setTimeout(() => process.exit(1), 100);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}
