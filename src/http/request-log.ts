import type { RequestHandler } from 'express';
import type { Logger } from '../shared/log/logger.ts';
import { redactText } from '../shared/log/redaction.ts';
import { requestIdOf } from './request-id.ts';
import { whenAnswered } from './wire/when-answered.ts';

/** Logs one line per answered request. The query is left out, because it may hold a token; the path is redacted. */
export function logRequests(logger: Logger): RequestHandler {
  return (req, res, next) => {
    const startedAt = performance.now();
    whenAnswered(res, logger, () => {
      if (!logger.isLevelEnabled('debug')) return;
      const path = redactText(req.originalUrl.split('?')[0] ?? '').slice(0, 200);
      const ms = Math.round(performance.now() - startedAt);
      logger.debug('request', {
        method: req.method,
        path,
        status: res.statusCode,
        ms,
        requestId: requestIdOf(res),
      });
    });
    next();
  };
}
