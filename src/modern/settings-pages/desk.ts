/**
 * The one way to the settings pages. Every form passes the same checks in the same order: its origin, its size, who is
 * signed in, one value for each field, the hidden `csrf`.
 */
import { type NextFunction, type Request, type Response, Router, urlencoded } from 'express';
import { errorHandler, unreadableStatus } from '../error-handler.ts';
import { isSameOrigin } from '../interactions/same-origin.ts';
import { createFormBinding, type FormBinding } from './form-binding.ts';
import type { SettingsParts } from './parts.ts';
import { readSession, type SignedIn } from './session.ts';
import { type OpenVisit, refuse, type RefusalStatus, type Visit } from './visit.ts';

type Answer<V> = (visit: V) => void | Promise<void>;

export interface Desk {
  /** A page for people who are signed in; others are sent to sign in and then back to it. Paths are below /settings. */
  get(path: string, page: Answer<Visit>): void;
  /** A form of people who are signed in. It ends in `goTo`, unless its answer shows a new secret. */
  post(path: string, action: Answer<Visit>): void;
  /** The same for everybody. `csrf` is bound to the browser then, even when somebody is signed in. */
  openGet(path: string, page: Answer<OpenVisit>): void;
  openPost(path: string, action: Answer<OpenVisit>): void;
}

interface Incoming {
  parts: SettingsParts;
  binding: FormBinding;
  req: Request;
  res: Response;
}

function visitOf({ parts, binding, req, res }: Incoming, { account, sessionUid }: SignedIn): Visit {
  return { parts, req, res, account, sessionUid, csrf: binding.ofSession(sessionUid), form: {} };
}

async function openVisitOf({ parts, binding, req, res }: Incoming): Promise<OpenVisit> {
  const signedIn = await readSession(parts, { req, res });
  return { parts, req, res, account: signedIn?.account, csrf: binding.ofBrowser(req, res), form: {} };
}

/** Where the page of a POST is unknown, the start of the settings has to do. */
function askToSignIn({ req, res }: Incoming): void {
  const next = req.method === 'GET' ? `?next=${encodeURIComponent(req.baseUrl + req.path)}` : '';
  res.redirect(303, `/settings/sign-in${next}`);
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** Fills in the form, or says with which status it is refused. */
function takeForm<V extends OpenVisit>(binding: FormBinding, visit: V): V | RefusalStatus {
  const body: Record<string, unknown> = visit.req.body ?? {};
  const fields = Object.entries(body).filter((entry): entry is [string, string] => isText(entry[1]));
  if (fields.length < Object.keys(body).length) return 400;
  const form: OpenVisit['form'] = Object.assign(Object.create(null), Object.fromEntries(fields));
  return binding.matches(visit.csrf, form['csrf']) ? { ...visit, form } : 403;
}

/** The pages a signed-out person sees at an address of these pages, and what is refused before a form is read. */
function refusals(parts: SettingsParts, binding: FormBinding) {
  const refuseWith = async (req: Request, res: Response, status: RefusalStatus) => {
    const signedIn = await readSession(parts, { req, res });
    const incoming = { parts, binding, req, res };
    refuse(signedIn ? visitOf(incoming, signedIn) : await openVisitOf(incoming), status);
  };
  return {
    missing: (req: Request, res: Response) => refuseWith(req, res, 404),
    foreign: async (req: Request, res: Response, next: NextFunction) => {
      if (isSameOrigin(req)) next();
      else await refuseWith(req, res, 403);
    },
    unreadable: errorHandler((error, res) => {
      const status = unreadableStatus(error);
      if (status === undefined) return false;
      const shown = res.req.method === 'GET' ? 404 : status === 413 ? 413 : 400;
      void refuseWith(res.req, res, shown);
      return true;
    }),
  };
}

function signedInOnly(parts: SettingsParts, binding: FormBinding) {
  return (answer: (visit: Visit) => void | Promise<void>) =>
    async (req: Request, res: Response): Promise<void> => {
      const incoming = { parts, binding, req, res };
      const signedIn = await readSession(parts, { req, res });
      if (signedIn) await answer(visitOf(incoming, signedIn));
      else askToSignIn(incoming);
    };
}

/** A router to be mounted at /settings; `addPages` puts the pages on it. */
export function createDesk(parts: SettingsParts, addPages: (desk: Desk) => void): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const binding = createFormBinding(parts.store.keys.digestKey);
  const { missing, foreign, unreadable } = refusals(parts, binding);
  const readForm = urlencoded({ extended: false, limit: '64kb', parameterLimit: 20 });
  const signedIn = signedInOnly(parts, binding);
  const open = (answer: Answer<OpenVisit>) => async (req: Request, res: Response) =>
    answer(await openVisitOf({ parts, binding, req, res }));
  const checked =
    <V extends OpenVisit>(action: Answer<V>): Answer<V> =>
    async (visit) => {
      const taken = takeForm(binding, visit);
      if (typeof taken === 'number') refuse(visit, taken);
      else await action(taken);
    };
  addPages({
    get: (path, page) => void router.get(path, signedIn(page)),
    post: (path, action) => void router.post(path, foreign, readForm, signedIn(checked(action))),
    openGet: (path, page) => void router.get(path, open(page)),
    openPost: (path, action) => void router.post(path, foreign, readForm, open(checked(action))),
  });
  router.use(missing, unreadable);
  return router;
}
