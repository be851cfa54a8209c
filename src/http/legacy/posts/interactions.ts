import type { RequestHandler } from 'express';
import type { LegacyDeps } from '../deps.ts';
import type { createCalls } from '../call.ts';
import { sendJson } from '../../wire/legacy-error.ts';

/**
 * GET /1/updates/:id/interactions.json. The new API tells an app of no interactions, so the list is always empty. The
 * bridge does not check that the update exists: an empty answer is not worth a request.
 */
export function interactions(_context: LegacyDeps, call: ReturnType<typeof createCalls>): RequestHandler {
  return call(async (_caller, _req, res) => sendJson(res, 200, { total: 0, interactions: [] }));
}
