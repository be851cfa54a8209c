import type { Request, RequestHandler, Response } from 'express';
import type { Context } from '../../../domain/context.ts';
import type { createCalls } from '../call.ts';
import { sendJson } from '../legacy-error.ts';
import { queryParameters } from '../request-parameters.ts';

/**
 * GET /1/links/shares.json: how often a link was shared, which nobody counts any more. Pages of others asked for it without
 * a token, by a script (JSONP) and by `fetch` across origins. The answer is the same for all, so that every page may read it.
 */

const ANSWER = { shares: 0 };

/** A path of plain identifiers, such as `jQuery1102_3` or `app.callbacks.shares`. Anything else would be a script. */
const CALLBACK = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/;
const CALLBACK_MAX = 100;

/** The one callback that the address names; a call that names another one, or two, gets JSON. */
function callbackIn(req: Request): string | undefined {
  const [callback, ...more] = queryParameters(req).all('callback');
  if (callback === undefined || more.length > 0 || callback.length > CALLBACK_MAX) return undefined;
  return CALLBACK.test(callback) ? callback : undefined;
}

/** The answer, with a token or without one. The comment keeps the caller's word from the first bytes of the file. */
export function sendShares(req: Request, res: Response): void {
  res.setHeader('Access-Control-Allow-Origin', '*');
  const callback = callbackIn(req);
  if (callback === undefined) return sendJson(res, 200, ANSWER);
  res.setHeader('Content-Type', 'application/javascript;charset=UTF-8');
  res.end(`/**/${callback}(${JSON.stringify(ANSWER)});`);
}

/**
 * Keeps the old API from answering with a caller's script, which would come from the origin of the bridge: a call with
 * another callback than a path of identifiers gets the bridge's own answer.
 */
export const onlyPlainCallbacks: RequestHandler = (req, res, next) => {
  const isPlain = queryParameters(req).all('callback').length === 0 || callbackIn(req) !== undefined;
  return isPlain ? next() : sendShares(req, res);
};

/** The call with a token. */
export function shares(_context: Context, call: ReturnType<typeof createCalls>): RequestHandler {
  return call(async (_caller, req, res) => sendShares(req, res));
}
