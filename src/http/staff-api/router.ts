import { type RequestHandler, Router } from 'express';
import type { HttpStaffApiDeps } from './deps.ts';
import { apiDoor } from './door/door.ts';
import { knowCaller } from './door/know-caller.ts';
import { readJson } from './door/read-json.ts';
import { openApiDocument } from './openapi/document.ts';
import type { ApiOperation } from './operation.ts';
import { OPERATIONS } from './operations/operations.ts';
import { ApiProblem, PROBLEM_NAMES, PROBLEMS, type ProblemName } from './problems/problems.ts';
import { apiFailures, PROBLEMS_PATH } from './problems/send-problem.ts';
import { checkRole, runOperation } from './run-operation.ts';

/** The staff API: what support pages and commands do, for programs (docs/operate/staff-api.md). */

const BASE = '/api/v1';

/** The path as express writes it. */
const routeOf = ({ path }: ApiOperation) => BASE + path.replaceAll(/\{(\w+)\}/g, ':$1');

const notServed: RequestHandler = () => {
  throw new ApiProblem('no-such-address', `The addresses are told at ${BASE}/openapi.json.`);
};

function refuseMethod(methods: readonly string[]): RequestHandler {
  const allow = methods.map((method) => method.toUpperCase()).join(', ');
  return () => {
    throw new ApiProblem('method-not-allowed', `The address takes ${allow}.`, { allow });
  };
}

/** The document is made once, when it is first asked for. It holds nothing of this installation but its address. */
function sendDocument({ settings }: HttpStaffApiDeps): RequestHandler {
  let made: Buffer | undefined;
  return (_req, res) => {
    // All answers send the same bytes: of a text each answer that waits to be read would hold a copy.
    made ??= Buffer.from(JSON.stringify(openApiDocument(settings.publicUrl)));
    res.setHeader('Cache-Control', 'public, max-age=300').type('json').send(made);
  };
}

const isProblem = (name: string): name is ProblemName => PROBLEM_NAMES.some((one) => one === name);

/** What the `type` of a problem leads to. */
const tellProblem: RequestHandler = (req, res) => {
  const name = String(req.params['name']);
  if (!isProblem(name)) return notServed(req, res, () => undefined);
  const [status, title] = PROBLEMS[name];
  res.json({ type: PROBLEMS_PATH + name, title, status });
};

/** The addresses below /api. */
export function staffApiRouter(context: HttpStaffApiDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const know = knowCaller(context);
  router.use('/api', ...apiDoor(context));
  router.get(`${BASE}/openapi.json`, sendDocument(context));
  router.get(`${PROBLEMS_PATH}:name`, tellProblem);
  for (const one of OPERATIONS)
    router[one.method](routeOf(one), know, checkRole(one), readJson(one), runOperation(context, one));
  for (const route of new Set(OPERATIONS.map(routeOf)))
    router.all(
      route,
      refuseMethod(OPERATIONS.filter((one) => routeOf(one) === route).map(({ method }) => method)),
    );
  router.use('/api', notServed);
  router.use('/api', apiFailures(context));
  return router;
}
