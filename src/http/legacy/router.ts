import express, { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import type { Context } from '../../domain/context.ts';
import { addHeaders } from './added-headers.ts';
import { authorize } from './authorize.ts';
import { createCalls } from './call.ts';
import { deauthorize } from './deauthorize.ts';
import { resourceFailures, tokenFailures } from './failures.ts';
import { httpsOnly } from './https-only.ts';
import { LegacyError, REFUSALS, sendLegacyError } from './legacy-error.ts';
import { profile, profiles } from './profiles.ts';
import { token } from './token.ts';
import { user } from './user.ts';

/**
 * The old surface: which path answers which methods, and in what order an old call is treated. Paths match exactly,
 * case included; `.json` may be missing, another suffix is an unsupported format (quirk Q8).
 */

const AUTHORIZE_PATHS = ['/oauth2/authorize', '/1/oauth2/authorize'];
const TOKEN_PATHS = ['/1/oauth2/token.json', '/1/oauth2/token'];
const READ_METHODS = ['GET', 'POST'];

const BODY_LIMIT = '256kb';

/** Reads any body as bytes, whatever the method or content type; unpacked size is bounded too. */
const readBytes = express.raw({ type: () => true, limit: BODY_LIMIT });

/** HEAD runs no handler: it has no effect on any old path (hardening finding 4). */
function only(methods: readonly string[]): RequestHandler {
  const headers = { Allow: methods.join(', ') };
  return (req, _res, next) =>
    next(methods.includes(req.method) ? undefined : new LegacyError(REFUSALS.method, { headers }));
}

/** Refused methods of the authorize address are JSON; everything else there is a page. */
// oxlint-disable-next-line max-params -- express knows an error handler by its four parameters
const methodFailures: ErrorRequestHandler = (error, _req, res, next) =>
  error instanceof LegacyError ? sendLegacyError(res, error) : next(error);

const refuseFormat: RequestHandler = () => {
  throw new LegacyError(REFUSALS.format);
};

const refusePath: RequestHandler = () => {
  throw new LegacyError(REFUSALS.unknownPath);
};

const exactly = { caseSensitive: true, strict: true };

/** One path of the resource side with its optional suffix, and the refusal of other suffixes. */
function addCall(router: Router, path: string, handler: RequestHandler): void {
  const served = [`${path}.json`, path];
  router.all(served, only(READ_METHODS), readBytes, handler);
  router.all(`${path}.:format`, refuseFormat);
}

function resources(context: Context, perMinute: number): Router {
  const router = Router(exactly);
  const call = createCalls(context, perMinute);
  addCall(router, '/1/profiles', profiles(context, call));
  addCall(router, '/1/user', user(context, call));
  addCall(router, '/1/user/deauthorize', deauthorize(context, call));
  addCall(router, '/user/deauthorize', deauthorize(context, call));
  router.all('/1/profiles/:id.json', only(READ_METHODS), readBytes, profile(context, call));
  router.all('/1/profiles/:id.:format', refuseFormat);
  router.all('/1/profiles/:id', only(READ_METHODS), readBytes, profile(context, call));
  router.all(/^\/1(\/|$)/, refusePath);
  router.use(resourceFailures(context));
  return router;
}

/** Everything the older generation served. */
export function legacyRouter(context: Context, perMinute: number): Router {
  const router = Router(exactly);
  router.use(['/oauth2', '/1', '/user'], addHeaders, httpsOnly);
  router.get(AUTHORIZE_PATHS, only(['GET']), authorize(context), methodFailures);
  router.all(AUTHORIZE_PATHS, only(['GET']), methodFailures);
  router.all(TOKEN_PATHS, only(['POST']), readBytes, token(context), tokenFailures(context));
  router.use(resources(context, perMinute));
  return router;
}
