import { type RequestHandler, Router } from 'express';
import type { OpsDeps } from './deps.ts';
import { buildInfo } from '../../domain/instance/build-info.ts';
import { createDatabaseProof, findClockProblem } from '../../domain/instance/prove-database.ts';
import { sendJson } from '../wire/legacy-error.ts';

const STOPPING = 'the process is stopping';

/** A copy answers old calls with its last known answers, but a balancer should send no callers to a copy. */
function findCopyProblem({ instance }: OpsDeps): string | undefined {
  return instance.isCopy() ? `this is a restored copy: ${instance.why()}. ${instance.remedy()}` : undefined;
}

const NO_DATABASE = 'the database does not answer';

interface Problem {
  reason: string;
  error?: unknown;
}

async function findProblem(
  context: OpsDeps,
  proveDatabase: () => Promise<void>,
): Promise<Problem | undefined> {
  try {
    await proveDatabase();
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

/** Why this process cannot serve; undefined while it can. */
export type UnreadyReason = () => Promise<string | undefined>;

/**
 * Ready means: the database answers, its time is known, the keys are at hand, the database is the original, and this
 * machine can remember the database. The new API may be down; the bridge then serves the last known answers. Anybody
 * may ask as often as they like, so only a change is logged, and the database is asked a few times a second at most.
 */
export function createReadiness(context: OpsDeps): UnreadyReason {
  const { logger } = context;
  const proveDatabase = createDatabaseProof(context);
  let lastKind: string | undefined;
  return async () => {
    // A balancer has to move its calls before this process stops accepting them. Nothing is wrong, so nothing is
    // logged.
    if (context.shutdown.signal.aborted) return STOPPING;
    const problem = await findProblem(context, proveDatabase);
    const reason = problem?.reason;
    // The figures in a reason change all the time.
    const kind = reason?.replace(/\d+/g, '0');
    if (kind !== lastKind) {
      if (problem) logger.error('not ready', problem);
      else logger.warn('ready again');
      lastKind = kind;
    }
    return reason;
  };
}

function answerReady(findReason: UnreadyReason): RequestHandler {
  return async (_req, res) => {
    const reason = await findReason();
    if (reason === undefined) return sendJson(res, 200, { ready: true });
    sendJson(res, 503, { ready: false, reason });
  };
}

/** GET /health: the process is alive, and which build it is. GET /ready: the process can serve. Neither answer says more. */
export function opsRouter(findReason: UnreadyReason): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const health = { alive: true, ...buildInfo() };
  router.get('/health', (_req, res) => sendJson(res, 200, health));
  router.get('/ready', answerReady(findReason));
  return router;
}
