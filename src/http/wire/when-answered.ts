import type { Response } from 'express';
import type { Logger } from '../../shared/log/logger.ts';

/** Does something once a request is answered. Whatever fails there is logged: nobody else would catch it. */
export function whenAnswered(res: Response, logger: Logger, work: () => void): void {
  res.once('finish', () => {
    try {
      work();
    } catch (error) {
      logger.warn('an answered request could not be noted', { error });
    }
  });
}
