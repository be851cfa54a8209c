import type { Request, RequestHandler, Response } from 'express';
import type { LegacyDeps } from '../deps.ts';
import type { createCalls } from '../call.ts';
import { sendJson } from '../../wire/legacy-error.ts';
import { bodyKind, bodyParameters, queryParameters, rawQuery } from '../../wire/request-parameters.ts';

/**
 * GET /1/links/shares.json: how often a link was shared. Shares are not counted any more. Web pages of third parties
 * asked for the number without a token, by a script (JSONP) and by `fetch` across origins. The answer is the same for
 * all callers whose token is not refused, so every page may read the answer.
 */

const ANSWER = { shares: 0 };

/** A path of plain identifiers, such as `jQuery1102_3` or `app.callbacks.shares`. Any other text would be a script. */
const CALLBACK = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/;
const CALLBACK_MAX = 100;

/** The one callback that the address names. A call with an unusable callback, or with two callbacks, gets JSON. */
function callbackIn(req: Request): string | undefined {
  const [callback, ...more] = queryParameters(req).all('callback');
  if (callback === undefined || more.length > 0 || callback.length > CALLBACK_MAX) return undefined;
  return CALLBACK.test(callback) ? callback : undefined;
}

/**
 * The answer, with a token that is served or without one. The empty comment in front keeps the caller's text out of the first bytes of the
 * file.
 */
export function sendShares(req: Request, res: Response): void {
  res.setHeader('Access-Control-Allow-Origin', '*');
  const callback = callbackIn(req);
  if (callback === undefined) return sendJson(res, 200, ANSWER);
  res.setHeader('Content-Type', 'application/javascript;charset=UTF-8');
  res.end(`/**/${callback}(${JSON.stringify(ANSWER)});`);
}

/** Names that PHP reads as `callback`: PHP cuts the characters before and after a name. */
const CALLBACK_NAME = /^\s*callback(?![\w-])/i;

/** Some readers of queries take the text after a semicolon for one more pair. */
const BEHIND_SEMICOLON = /;[^&;=]*callback/i;

const isCallback = (name: string) => CALLBACK_NAME.test(name);

/** Undefined where the bridge cannot read the body. Another reader may be able to. */
const bodyOf = (req: Request) => bodyParameters(req).catch(() => undefined);

/** Whether the old API may be asked: the call names no callback, or one path of identifiers in the address. */
async function hasPlainCallback(req: Request): Promise<boolean> {
  const body = await bodyOf(req);
  if (!body || bodyKind(req) === 'other' || BEHIND_SEMICOLON.test(rawQuery(req))) return false;
  if (body.names().some(isCallback)) return false;
  const named = queryParameters(req).names().filter(isCallback);
  return named.length === 0 || (named.length === 1 && callbackIn(req) !== undefined);
}

/**
 * Keeps the old API from answering with a script of the caller, which would come from the origin of the bridge. A call
 * with a callback that is no path of identifiers gets the bridge's own answer, at every address of the call.
 */
export const onlyPlainCallbacks: RequestHandler = async (req, res, next) =>
  (await hasPlainCallback(req)) ? next() : sendShares(req, res);

/** The call with a token. */
export function shares(_context: LegacyDeps, call: ReturnType<typeof createCalls>): RequestHandler {
  return call(async (_caller, req, res) => sendShares(req, res));
}
