import type { RequestHandler } from 'express';
import type { Context } from '../../../domain/context.ts';
import type { createCalls } from '../call.ts';
import { sendJson } from '../../wire/legacy-error.ts';

/**
 * GET /1/updates/:id/interactions.json. The new API tells an app of no interactions, so that the list is empty. Nobody asks
 * whether there is an update of that id: an answer that holds nothing is not worth a request.
 */
export function interactions(_context: Context, call: ReturnType<typeof createCalls>): RequestHandler {
  return call(async (_caller, _req, res) => sendJson(res, 200, { total: 0, interactions: [] }));
}
