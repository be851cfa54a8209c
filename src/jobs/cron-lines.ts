import type { Logger as CronLogger } from 'node-cron';
import type { Logger } from '../shared/log/logger.ts';

/** What node-cron says of a job: a turn that was missed, or that came while the last one still ran. */
export function cronLines(logger: Pick<Logger, 'debug' | 'warn' | 'error'>, task: string): CronLogger {
  const fieldsOf = (said: string | Error, cause?: Error) =>
    said instanceof Error ? { task, error: said } : { task, text: said, error: cause };
  return {
    info: (text) => void logger.debug('node-cron tells', { task, text }),
    debug: (said, cause) => void logger.debug('node-cron tells', fieldsOf(said, cause)),
    warn: (text) => void logger.warn('a job had no turn', { task, text }),
    error: (said, cause) => void logger.error('node-cron failed', fieldsOf(said, cause)),
  };
}
