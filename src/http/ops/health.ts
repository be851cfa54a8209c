import { type RequestHandler, Router } from 'express';
import type { Context } from '../../domain/context.ts';
import { proveDatabase } from '../../domain/prove-database.ts';
import { sendJson } from '../legacy/legacy-error.ts';

/** Ready means that the database answers; the modern side may be away, its last answers are served then. */
function readiness(context: Context): RequestHandler {
  return async (_req, res) => {
    try {
      await proveDatabase(context);
      sendJson(res, 200, { ready: true });
    } catch (error) {
      context.logger.error('not ready', { error });
      sendJson(res, 503, { ready: false, reason: 'the database does not answer' });
    }
  };
}

/** GET /health: the process lives. GET /ready: it can serve. Neither tells anything else. */
export function opsRouter(context: Context): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/health', (_req, res) => sendJson(res, 200, { alive: true }));
  router.get('/ready', readiness(context));
  return router;
}
