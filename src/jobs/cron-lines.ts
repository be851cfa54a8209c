import type { Logger as CronLogger } from 'node-cron';
import { SECOND } from '../shared/lifetimes.ts';
import type { Logger } from '../shared/log/logger.ts';

/** Turns that a job did not have within this time are one line: after hours of sleep node-cron names each of thousands. */
const TOLD_TOGETHER = 1 * SECOND;

/** What node-cron says of a job: a turn that was missed, or that came while the last one still ran. */
export function cronLines(logger: Pick<Logger, 'debug' | 'warn' | 'error'>, task: string): CronLogger {
  const fieldsOf = (said: string | Error, cause?: Error) =>
    said instanceof Error ? { task, error: said } : { task, text: said, error: cause };
  let turns = 0;
  let last = '';
  const tellTurns = () => {
    logger.warn('a job had no turn', { task, turns, text: last });
    turns = 0;
  };
  return {
    info: (text) => void logger.debug('node-cron tells', { task, text }),
    debug: (said, cause) => void logger.debug('node-cron tells', fieldsOf(said, cause)),
    warn(text) {
      last = text;
      turns += 1;
      if (turns === 1) setTimeout(tellTurns, TOLD_TOGETHER).unref();
    },
    error: (said, cause) => void logger.error('node-cron failed', fieldsOf(said, cause)),
  };
}
