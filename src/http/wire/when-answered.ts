import type { ServerResponse } from 'node:http';
import type { Logger } from '../../shared/log/logger.ts';

/**
 * Runs work once a request is answered. A failure of the work is logged here, because no caller would catch the
 * failure.
 */
export function whenAnswered(res: ServerResponse, logger: Logger, work: () => void): void {
  res.on('finish', () => {
    try {
      work();
    } catch (error) {
      logger.warn('an answered request could not be noted', { error });
    }
  });
}
