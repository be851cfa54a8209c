import { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import type { Context } from '../../domain/context.ts';
import { brake } from '../wire/brake.ts';
import { readBodyOfCall, readBodyOfTokenRequest } from '../wire/read-body.ts';
import { createAddedHeaders } from './added-headers.ts';
import { authorize } from './authorize.ts';
import { createCalls } from './call.ts';
import { deauthorize } from './deauthorize.ts';
import { createElsewhere } from './elsewhere.ts';
import { resourceFailures, tokenFailures } from './failures.ts';
import { httpsOnly } from './https-only.ts';
import { createLifecycleGate, type LifecycleGate } from './lifecycle-gate.ts';
import { LegacyError, REFUSALS, sendLegacyError } from './legacy-error.ts';
import { createPassing } from './pass-through.ts';
import { changing } from './posts/change.ts';
import { createUpdate } from './posts/create.ts';
import { pendingUpdates, sentUpdates } from './posts/lists.ts';
import { unlessOldApi } from './posts/unless-old-api.ts';
import { update } from './posts/update.ts';
import { profile, profiles } from './profiles.ts';
import { token } from './token.ts';
import { user } from './user.ts';

/**
 * The old surface: which path answers which methods, and in what order an old call is treated. Paths match exactly,
 * case included; `.json` may be missing, another suffix is an unsupported format (quirk Q8).
 */

const AUTHORIZE_PATHS = ['/oauth2/authorize', '/1/oauth2/authorize'];
const AUTHORIZATIONS = { what: 'authorization requests', perMinute: 600 };
const TOKEN_PATHS = ['/1/oauth2/token.json', '/1/oauth2/token'];
const READ_METHODS = ['GET', 'POST'];

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

const exactly = { caseSensitive: true, strict: true };

const METHOD_REFUSED = { headers: { Allow: READ_METHODS.join(', ') } };

const onlyReads: RequestHandler = (req, _res, next) =>
  next(READ_METHODS.includes(req.method) ? undefined : 'route');

type Elsewhere = ReturnType<typeof createElsewhere>;

/** One address of the resource side, and what becomes of other methods there. */
function addServed(router: Router, path: string | string[], handlers: Served): void {
  router.all(path, onlyReads, handlers.readBody, handlers.call);
  router.all(path, ...handlers.elsewhere(() => new LegacyError(REFUSALS.method, METHOD_REFUSED)));
}

interface Served {
  readBody: RequestHandler;
  call: RequestHandler;
  elsewhere: Elsewhere;
}

/** One path of the resource side with its optional suffix, and what becomes of other suffixes. */
function addCall(router: Router, path: string, handlers: Served): void {
  addServed(router, [`${path}.json`, path], handlers);
  router.all(`${path}.:format`, ...handlers.elsewhere(() => new LegacyError(REFUSALS.format)));
}

/** Every address of the resource side, those that were never served included. */
const RESOURCES = [/^\/1(\/|$)/, /^\/user\/deauthorize(\.[^/]*)?$/];

interface Parts {
  context: Context;
  perMinute: number;
  gate: LifecycleGate;
}

function resources({ context, perMinute, gate }: Parts): Router {
  const router = Router(exactly);
  router.all(RESOURCES, gate.json);
  const passing = createPassing(context, perMinute);
  const call = createCalls(passing);
  const readBody = readBodyOfCall(context);
  const elsewhere = createElsewhere(passing, readBody);
  const served = (handle: RequestHandler): Served => ({ readBody, call: handle, elsewhere });
  addCall(router, '/1/profiles', served(profiles(context, call)));
  addCall(router, '/1/user', served(user(context, call)));
  addCall(router, '/1/user/deauthorize', served(deauthorize(context, call)));
  addCall(router, '/user/deauthorize', served(deauthorize(context, call)));
  const addWrite = (path: string, handle: RequestHandler) =>
    router.post([`${path}.json`, path], readBody, unlessOldApi(context), handle);
  addWrite('/1/updates/create', createUpdate(context, call));
  addWrite('/1/updates/:id/update', changing(context, call, 'update'));
  addWrite('/1/updates/:id/share', changing(context, call, 'share'));
  addWrite('/1/updates/:id/destroy', changing(context, call, 'destroy'));
  addWrite('/1/updates/:id/move_to_top', changing(context, call, 'move_to_top'));
  addServed(router, '/1/profiles/:id.json', served(profile(context, call)));
  router.all('/1/profiles/:id.:format', ...elsewhere(() => new LegacyError(REFUSALS.format)));
  addServed(router, '/1/profiles/:id', served(profile(context, call)));
  const addQueueCall = (path: string, handle: RequestHandler) =>
    router.all([`${path}.json`, path], onlyReads, readBody, unlessOldApi(context), handle);
  addQueueCall('/1/profiles/:id/updates/pending', pendingUpdates(context, call));
  addQueueCall('/1/profiles/:id/updates/sent', sentUpdates(context, call));
  router.all(
    ['/1/updates/create.json', '/1/updates/create'],
    ...elsewhere(() => new LegacyError(REFUSALS.unknownPath)),
  );
  addQueueCall('/1/updates/:id', update(context, call));
  router.all(/^\/1(\/|$)/, ...elsewhere(() => new LegacyError(REFUSALS.unknownPath)));
  router.use(resourceFailures(context));
  return router;
}

/** Everything the older generation served. */
export function legacyRouter(context: Context, perMinute: number): Router {
  const router = Router(exactly);
  const gate = createLifecycleGate(context);
  router.use(['/oauth2', '/1', '/user'], createAddedHeaders(context), httpsOnly);
  router.all(AUTHORIZE_PATHS, gate.page);
  router.get(
    AUTHORIZE_PATHS,
    only(['GET']),
    brake(context, AUTHORIZATIONS),
    authorize(context),
    methodFailures,
  );
  router.all(AUTHORIZE_PATHS, only(['GET']), methodFailures);
  router.all(
    TOKEN_PATHS,
    gate.exchange,
    only(['POST']),
    readBodyOfTokenRequest,
    token(context),
    tokenFailures(context, 'a legacy exchange'),
  );
  router.use(resources({ context, perMinute, gate }));
  return router;
}
