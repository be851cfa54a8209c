/**
 * The only entrance to the settings pages. Every form passes the same checks in the same order: the origin, the size,
 * the signed-in account, one value for each field, the hidden `csrf`.
 */
import { type NextFunction, type Request, type Response, Router, urlencoded } from 'express';
import { errorHandler, unreadableStatus } from '../error-handler.ts';
import { isSameOrigin } from '../interactions/same-origin.ts';
import { createFormBinding, type FormBinding } from './form-binding.ts';
import { createMethods } from './methods.ts';
import type { SettingsPagesDeps } from './parts.ts';
import { askToSignIn, type OpenVisit, refuse, type RefusalStatus, type Visit } from './visit.ts';
import { createVisits, type Visits } from './visits.ts';

type VisitHandler<V> = (visit: V) => void | Promise<void>;

export interface SettingsRoutes {
  /**
   * A page for a signed-in account. Other people are sent to sign in and then back to the page. Paths are below
   * /settings.
   */
  get(path: string, page: VisitHandler<Visit>): void;
  /** A form for a signed-in account. The action ends in `goTo`, unless its answer shows a new secret. */
  post(path: string, action: VisitHandler<Visit>): void;
  /** A page for everybody. `csrf` is then bound to the browser, even when an account is signed in. */
  openGet(path: string, page: VisitHandler<OpenVisit>): void;
  openPost(path: string, action: VisitHandler<OpenVisit>): void;
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** Adds the form to the visit, or returns the status of the refusal. */
function takeForm<V extends OpenVisit>(binding: FormBinding, visit: V): V | RefusalStatus {
  const body: Record<string, unknown> = visit.req.body ?? {};
  const fields = Object.entries(body).filter((entry): entry is [string, string] => isText(entry[1]));
  if (fields.length < Object.keys(body).length) return 400;
  const form: OpenVisit['form'] = Object.assign(Object.create(null), Object.fromEntries(fields));
  return binding.matches(visit.csrf, form['csrf']) ? { ...visit, form } : 403;
}

/** Answers requests that are refused before the form is read, and addresses without a page. */
function refusals(visits: Visits) {
  const refuseWith = async (req: Request, res: Response, status: RefusalStatus) =>
    refuse(await visits.open(req, res), status);
  return {
    missing: (req: Request, res: Response) => refuseWith(req, res, 404),
    method: (req: Request, res: Response) => refuseWith(req, res, 405),
    foreign: async (req: Request, res: Response, next: NextFunction) => {
      if (isSameOrigin(req)) next();
      else await refuseWith(req, res, 403);
    },
    unreadable: errorHandler(async (error, res) => {
      const status = unreadableStatus(error);
      if (status === undefined) return false;
      const shown = res.req.method === 'GET' ? 404 : status === 413 ? 413 : 400;
      await refuseWith(res.req, res, shown);
      return true;
    }),
  };
}

/** A router for /settings. `addPages` adds the pages. */
export function createDesk(parts: SettingsPagesDeps, addPages: (desk: SettingsRoutes) => void): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const binding = createFormBinding(parts.store.keys.digestKey);
  const visits = createVisits(parts, binding);
  const methods = createMethods();
  const { missing, method, foreign, unreadable } = refusals(visits);
  const readForm = urlencoded({ extended: false, inflate: false, limit: '64kb', parameterLimit: 20 });
  const signedIn = (path: string, answer: VisitHandler<Visit>) => async (req: Request, res: Response) => {
    const visit = await visits.signedIn(req, res);
    if (visit) await answer(visit);
    else askToSignIn(req, res, methods.hasPage(path));
  };
  const open = (answer: VisitHandler<OpenVisit>) => async (req: Request, res: Response) =>
    answer(await visits.open(req, res));
  const checked =
    <V extends OpenVisit>(action: VisitHandler<V>): VisitHandler<V> =>
    async (visit) => {
      const taken = takeForm(binding, visit);
      if (typeof taken === 'number') refuse(visit, taken);
      else await action(taken);
    };
  const addGet = (path: string, page: ReturnType<typeof open>) =>
    void router.get(methods.add('GET', path), page);
  const addPost = (path: string, action: ReturnType<typeof open>) =>
    void router.post(methods.add('POST', path), foreign, readForm, action);
  addPages({
    get: (path, page) => addGet(path, signedIn(path, page)),
    post: (path, action) => addPost(path, signedIn(path, checked(action))),
    openGet: (path, page) => addGet(path, open(page)),
    openPost: (path, action) => addPost(path, open(checked(action))),
  });
  methods.refuseOthers(router, method);
  router.use(missing, unreadable);
  return router;
}
