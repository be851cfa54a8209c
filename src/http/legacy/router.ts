import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express';
import type { LegacyDeps } from './deps.ts';
import {
  HAND_OVER_PATH,
  OLD_CALL_NAMES,
  OLD_CALLS,
  type OldCallName,
  TOKEN_PATHS,
} from '../../domain/old-calls/old-calls.ts';
import { refuseExchanges, refusePeople } from '../overload/later.ts';
import { brake } from '../pages/brake.ts';
import { readBodyOfCall, readBodyOfTokenRequest } from '../wire/read-body.ts';
import { createAddedHeaders } from '../wire/added-headers.ts';
import { authorize } from './authorize.ts';
import { createCalls } from './call.ts';
import { deauthorizeEndpoint } from './deauthorize.ts';
import type { DirectCalls } from './direct-calls.ts';
import { createOtherPaths } from './pass-through/other-paths.ts';
import { resourceFailures, tokenFailures } from './failures.ts';
import { httpsOnly } from './https-only.ts';
import { createLifecycleGate, type LifecycleGate } from './lifecycle-gate.ts';
import { LegacyError, REFUSALS, sendChallenge, sendLegacyError } from '../wire/legacy-error.ts';
import { createPassThroughDeps, type PassThroughDeps } from './pass-through/pass-through.ts';
import { collapseKnownPaths } from './pass-through/passable-path.ts';
import { changing } from './posts/change.ts';
import { configurationEndpoint } from './posts/configuration.ts';
import { createUpdateEndpoint } from './posts/create.ts';
import { interactions } from './posts/interactions.ts';
import { pendingUpdates, sentUpdates } from './posts/lists.ts';
import { reorderUpdates, shuffleUpdates } from './posts/order.ts';
import { schedules, updateSchedules } from './posts/schedules.ts';
import { update } from './posts/update.ts';
import { markWrite } from './posts/write-answers.ts';
import { onlyPlainCallbacks, sendShares, shares } from './posts/shares.ts';
import { measureCall } from './metrics/measure-call.ts';
import { profile, profiles } from './profiles.ts';
import { noteRefusedCall } from './refused-call-usage.ts';
import { token } from './token.ts';
import { user } from './user.ts';

/**
 * The addresses of the old API: which path answers which methods, and the order of the steps of an old call. Paths
 * match exactly, case included. `.json` may be missing; another suffix is an unsupported format (docs/old-api.md Q8).
 */

const AUTHORIZE_PATHS = ['/oauth2/authorize', '/1/oauth2/authorize'];
const AUTHORIZATIONS = { what: 'authorization requests', perMinute: 600 };

const OTHER_ENDPOINTS = new Map([
  [HAND_OVER_PATH, 'handOver'] as const,
  ...AUTHORIZE_PATHS.map((path) => [path, 'authorize'] as const),
  ...TOKEN_PATHS.map((path) => [path, 'token'] as const),
]);

/**
 * Refuses all other methods, HEAD too: HEAD runs no handler and changes nothing on any old path (docs/threats.md B41).
 */
function only(methods: readonly string[]): RequestHandler {
  const headers = { Allow: methods.join(', ') };
  return (req, _res, next) =>
    next(methods.includes(req.method) ? undefined : new LegacyError(REFUSALS.method, { headers }));
}

/** At the authorize address the refusal of a method is JSON. Every other refusal is a page. */
// oxlint-disable-next-line max-params -- express knows an error handler by its four parameters
const methodFailures: ErrorRequestHandler = (error, _req, res, next) =>
  error instanceof LegacyError ? sendLegacyError(res, error) : next(error);

const exactly = { caseSensitive: true, strict: true };

/** Leaves other methods to the next handlers of the address. */
function onlyOf(methods: readonly string[]): RequestHandler {
  return (req, _res, next) => next(methods.includes(req.method) ? undefined : 'route');
}

/** Every address of the resource side, also addresses that were never served. */
const RESOURCES = [/^\/1(\/|$)/, /^\/user\/deauthorize(\.[^/]*)?$/];

/** Below /1, behind more slashes. Here a known call has lost its own already (`collapseKnownPaths`). */
const BEHIND_SLASHES = /^\/{2,}1(\/|$)/;

type MakeHandler = (context: LegacyDeps, call: ReturnType<typeof createCalls>) => RequestHandler;

/** The answers of the new API. */
const HANDLERS: Record<OldCallName, MakeHandler> = {
  user,
  profiles,
  profile,
  deauthorize: deauthorizeEndpoint,
  pendingUpdates,
  sentUpdates,
  reorderUpdates,
  shuffleUpdates,
  update,
  createUpdate: createUpdateEndpoint,
  changeUpdate: (context, call) => changing(context, call, 'update'),
  shareUpdate: (context, call) => changing(context, call, 'share'),
  destroyUpdate: (context, call) => changing(context, call, 'destroy'),
  moveUpdateToTop: (context, call) => changing(context, call, 'move_to_top'),
  schedules,
  updateSchedules,
  interactions,
  shares,
  configuration: configurationEndpoint,
};

/** Answers to calls without a token, once the old API is gone. Calls that are not listed get the recorded challenge. */
const WITHOUT_TOKEN: Partial<Record<OldCallName, (req: Request, res: Response) => void>> = {
  shares: sendShares,
};

/** Runs before the old API may answer, at every address of the call and for every method. */
const BEFORE: Partial<Record<OldCallName, RequestHandler>> = { shares: onlyPlainCallbacks };

const sendNoToken = (_req: Request, res: Response) => sendChallenge(res);

/** The addresses of the calls that write posts. */
const WRITES = OLD_CALL_NAMES.map((name) => OLD_CALLS[name])
  .filter(({ kind, isRead }) => kind === 'queue' && !isRead)
  .flatMap(({ paths }) => paths.flatMap((path) => [`${path}.json`, path]));

interface ResourceRouterDeps {
  context: LegacyDeps;
  perMinute: number;
  gate: LifecycleGate;
  addDirect: AddDirect;
  failures: ErrorRequestHandler;
}

/** The last steps of a known call, for the ways to them. */
type AddDirect = (path: string, methods: readonly string[], steps: readonly RequestHandler[]) => void;

interface AddCallInput {
  passing: PassThroughDeps;
  readBody: RequestHandler;
  addDirect: AddDirect;
}

/** Whether all calls of this name pass the same steps, whatever the address holds. */
const isPlain = (name: OldCallName) => OLD_CALLS[name].isRead && !BEFORE[name];

/** The first word of a path below /1, as it was sent. */
const wordOf = (path: string) => /^\/1\/([^/.]+)/.exec(path)?.[1] ?? '';

/**
 * One router for each first word of the paths. A router tries the pattern of every address in turn, which costs more
 * than most refusals: so a request meets the addresses of its own word alone.
 */
function createRouters() {
  const routers = new Map<string, Router>();
  const find: RequestHandler = (req, res, next) => {
    const router = routers.get(wordOf(req.path));
    if (router) router(req, res, next);
    else next();
  };
  const routerOf = (path: string): Router => {
    const word = wordOf(path);
    const router = routers.get(word) ?? Router(exactly);
    routers.set(word, router);
    return router;
  };
  return { find, routerOf };
}

/** Adds one known call at all its addresses, with the handlers of its other methods and formats. */
function createAddCall(routerOf: (path: string) => Router, { passing, readBody, addDirect }: AddCallInput) {
  const { context } = passing;
  const elsewhere = createOtherPaths(passing, readBody);
  return (name: OldCallName): void => {
    const { paths, kind, methods, isRead } = OLD_CALLS[name];
    const before = BEFORE[name];
    const withoutToken = WITHOUT_TOKEN[name] ?? sendNoToken;
    const call = createCalls(passing, { kind, withoutToken, isChallenged: withoutToken === sendNoToken });
    const handle = HANDLERS[name](context, call);
    const other = kind === 'queue' ? 'unserved' : 'otherwise';
    const headers = { Allow: methods.join(', ') };
    const refuseMethod = () => new LegacyError(REFUSALS.method, { headers });
    const add = (path: string) => {
      const router = routerOf(path);
      if (isPlain(name)) addDirect(path, methods, [readBody, handle]);
      router.all(path, onlyOf(methods), readBody, handle);
      if (isRead) router.head(path, ...elsewhere('head', refuseMethod));
      router.all(path, ...elsewhere(other, refuseMethod));
    };
    for (const path of paths) {
      const router = routerOf(path);
      if (before && context.oldBackend) router.all([path, `${path}.:format`], readBody, before);
      add(`${path}.json`);
      router.all(`${path}.:format`, ...elsewhere(other, () => new LegacyError(REFUSALS.format)));
      add(path);
    }
  };
}

function resources({ context, perMinute, gate, addDirect, failures }: ResourceRouterDeps): Router {
  const router = Router(exactly);
  router.post(WRITES, markWrite);
  router.all(RESOURCES, gate.json);
  const passing = createPassThroughDeps(context, perMinute);
  const readBody = readBodyOfCall(context);
  const { find, routerOf } = createRouters();
  OLD_CALL_NAMES.forEach(createAddCall(routerOf, { passing, readBody, addDirect }));
  router.use(find);
  const elsewhere = createOtherPaths(passing, readBody);
  router.all(/^\/1(\/|$)/, ...elsewhere('unserved', () => new LegacyError(REFUSALS.unknownPath)));
  router.use(failures);
  return router;
}

/** Refuses an unknown path that neither side answers. Its caller is an old program all the same, which reads JSON. */
function refusePath(context: LegacyDeps): RequestHandler {
  return (req) => {
    noteRefusedCall(context, req);
    throw new LegacyError(REFUSALS.unknownPath);
  };
}

interface LegacyRoutes {
  /** All addresses of the old API. */
  router: Router;
  /** The calls that may go around the router, with all steps of the old API. */
  direct: DirectCalls;
  failures: ErrorRequestHandler;
}

/** The addresses of the old API. `first` are the steps before every request, which a direct call takes too. */
export function legacyRoutes(
  context: LegacyDeps,
  { perMinute, first }: { perMinute: number; first: readonly RequestHandler[] },
): LegacyRoutes {
  const router = Router(exactly);
  const gate = createLifecycleGate(context);
  const atEveryAddress = [measureCall(context, OTHER_ENDPOINTS), createAddedHeaders(context), httpsOnly];
  const failures = resourceFailures(context);
  const direct = new Map<string, { methods: readonly string[]; steps: readonly RequestHandler[] }>();
  const addDirect: AddDirect = (path, methods, steps) =>
    void direct.set(path, { methods, steps: [...first, ...atEveryAddress, gate.json, ...steps] });
  router.use(collapseKnownPaths);
  router.use(['/oauth2', '/1', '/user'], ...atEveryAddress);
  router.all(AUTHORIZE_PATHS, gate.page);
  router.get(
    AUTHORIZE_PATHS,
    only(['GET']),
    refusePeople(context),
    brake(context, AUTHORIZATIONS),
    authorize(context),
    methodFailures,
  );
  router.all(AUTHORIZE_PATHS, only(['GET']), methodFailures);
  router.all(
    TOKEN_PATHS,
    gate.exchange,
    only(['POST']),
    refuseExchanges(context),
    readBodyOfTokenRequest,
    token(context),
    tokenFailures(context, 'a legacy exchange'),
  );
  router.all(BEHIND_SLASHES, ...atEveryAddress, gate.json, refusePath(context), failures);
  router.use(resources({ context, perMinute, gate, addDirect, failures }));
  return { router, direct, failures };
}
