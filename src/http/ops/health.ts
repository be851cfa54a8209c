import { type RequestHandler, Router } from 'express';
import type { Context } from '../../domain/context.ts';
import { findClockProblem, proveDatabase } from '../../domain/instance/prove-database.ts';
import { sendJson } from '../wire/legacy-error.ts';

const STOPPING = 'the process is stopping';

/** A copy answers old calls with what it last knew, but is nothing to send callers to. */
function findCopyProblem({ instance }: Context): string | undefined {
  return instance.isCopy()
    ? `this is a restored copy: ${instance.why()}; once the original is stopped for good: grantbridge restore --take-over`
    : undefined;
}

const NO_DATABASE = 'the database does not answer';

interface Problem {
  reason: string;
  error?: unknown;
}

async function findProblem(context: Context): Promise<Problem | undefined> {
  try {
    await proveDatabase(context);
    const { keyring, instance } = context;
    const reason =
      findClockProblem(context) ??
      keyring.findProblem() ??
      findCopyProblem(context) ??
      instance.findProblem();
    return reason === undefined ? undefined : { reason };
  } catch (error) {
    return { reason: NO_DATABASE, error };
  }
}

/**
 * Ready means that the database answers, that its time is known, that it is the original, which this machine can
 * remember, and that its keys are at hand; the modern side may be away, its last answers are served then. Anybody may ask
 * as often as they like, so that only a change is logged.
 */
function readiness(context: Context): RequestHandler {
  const { logger } = context;
  let lastKind: string | undefined;
  return async (_req, res) => {
    // A balancer is to send its calls elsewhere before this process takes none; nothing is wrong, so nothing is logged.
    if (context.shutdown.signal.aborted) return sendJson(res, 503, { ready: false, reason: STOPPING });
    const problem = await findProblem(context);
    const reason = problem?.reason;
    // Figures in it change all the time.
    const kind = reason?.replace(/\d+/g, '0');
    if (kind !== lastKind) {
      if (problem) logger.error('not ready', problem);
      else logger.warn('ready again');
      lastKind = kind;
    }
    if (reason === undefined) return sendJson(res, 200, { ready: true });
    sendJson(res, 503, { ready: false, reason });
  };
}

/** GET /health: the process lives. GET /ready: it can serve. Neither tells anything else. */
export function opsRouter(context: Context): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/health', (_req, res) => sendJson(res, 200, { alive: true }));
  router.get('/ready', readiness(context));
  return router;
}
