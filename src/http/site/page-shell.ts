import cookieParser from 'cookie-parser';
import type { Request, RequestHandler, Response } from 'express';
import type { SiteDeps } from './deps.ts';
import { readForm, requireOwnForm } from '../pages/forms.ts';
import { expiredForm, PageError } from '../pages/page-error.ts';
import { sendPage } from '../pages/page-headers.ts';
import { mayRegister } from '../../domain/apps/may-register.ts';
import { mayAct, type StaffRole } from '../../domain/accounts/staff.ts';
import { answerForm } from '../pages/answer-form.ts';
import { isSaidOwn } from '../../shared/own-form.ts';
import { formToken, isFormToken } from '../signin/browser-cookie.ts';
import { tooManyRequests } from '../pages/brake.ts';
import { expiredFormPage, isLateSignOut } from '../signin/expired-form.ts';
import { formTargets } from '../signin/leave.ts';
import type { SigninPagesDeps } from '../signin/parts.ts';
import { companyStaffOf, isSignedIn, type SignedInPerson, personOf } from '../signin/session.ts';
import { giveBothMarks } from '../signin/signed-out-cookie.ts';
import { formActOf } from '../pages/form-acts.ts';
import { takeNotice } from '../pages/flash-notice.ts';
import {
  knowRole,
  mustSignInAsStaff,
  readerOf,
  roleIn,
  sendToSignIn,
  sendToStaffSignIn,
  signInsAgain,
} from './reader.ts';
import { idsInAddress, withoutTypedTokens } from './typed-secrets.ts';
import { LOCAL_TIMES, PAGE_AIDS } from '../wording/words.ts';

/**
 * The shell of every page for signed-in people: the navigation, the signed-in account, and the guard of forms. A form
 * below /apps and /support is accepted only from a signed-in person, from a page of ours, and with the hidden field of
 * that page. No page can forget the guard.
 */

/**
 * The data of a template besides `title`. `formTargets`: where the forms may lead beyond this site (CSP). `scripts`:
 * our addresses below /assets, besides the script of every page. `knownIds`: typed texts that are no secrets, whatever
 * their length.
 */
export type TemplateData = Record<string, unknown> & {
  title: string;
  formTargets?: string;
  scripts?: string[];
  knownIds?: readonly string[];
};

export interface PageShell {
  context: SiteDeps;
  parts: SigninPagesDeps;
  /** Before all routes below /apps and /support. */
  guard: RequestHandler[];
  /** Before a GET for signed-in people only. Other people are sent to the sign-in and come back. */
  requirePerson: RequestHandler;
  /** Before routes for staff with this role or a higher role. */
  requireRole(needed: StaffRole): RequestHandler;
  /**
   * Sends the page. Its forms contain `<input type="hidden" name="_form" value="<%= it.formToken %>">`. The page shows
   * the notice of the action that led to it (`leaveWith`).
   */
  page(res: Response, template: string, data: TemplateData): void;
}

/** The signed-in person, in routes behind `requirePerson` and in forms. */
export function signedInPerson(req: Request): SignedInPerson {
  const person = personOf(req);
  if (!person) throw expiredForm();
  return person;
}

/** The fields of a form that passed the guard. Of a repeated field the first value counts. */
export function fieldsOf(req: Request): Record<string, string> {
  const body = (req.body ?? {}) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, String(Array.isArray(value) ? value[0] : value)]),
  );
}

/** Whether the hidden field of a form, `_form` or the layout's `csrf`, belongs to this session. */
function isOfSession({ vault }: SiteDeps, req: Request): boolean {
  const { _form: own, csrf } = fieldsOf(req);
  return isSignedIn(req) && isFormToken(vault.session(), req.sessionID, own ?? csrf);
}

/** The address and the fields of a form, and what the form would have done. */
async function sentForm(context: SiteDeps, { req, locals }: Response) {
  const address = req.originalUrl;
  const own = new URL(context.settings.publicUrl).origin;
  const path = address.split('?')[0] ?? '';
  return {
    address,
    fields: fieldsOf(req),
    isSignedIn: isSignedIn(req),
    isOwn: isSaidOwn(own, { site: req.get('sec-fetch-site'), origin: req.get('origin') }),
    act: await formActOf(context, { path, isStaff: locals['role'] !== undefined }),
  };
}

/**
 * Answers a form that does not belong to this session. The answer repeats the entries of a form of ours, so that one
 * click sends them again.
 */
function requireSessionForm(parts: SigninPagesDeps, page: PageShell['page']): RequestHandler {
  const { context } = parts;
  return async (req, res, next) => {
    if (isOfSession(context, req)) return next();
    const sent = await sentForm(context, res);
    const shown = expiredFormPage(sent);
    if (isLateSignOut(sent)) giveBothMarks(parts, res, context.clock.now());
    const targets = formTargets(context.server.authorizationUrl);
    const signIns = signInsAgain(context, shown.formPage);
    page(res.status(403), 'form-expired', { ...shown, ...signIns, formTargets: targets });
  };
}

/** Every form leaves a trace in the database. Nobody sends so many forms by hand, and accounts are free. */
const FORMS_A_MINUTE = 240;

/** Counts the forms of each account. */
function brakeForms({ counts }: SiteDeps): RequestHandler {
  return (req, _res, next) => {
    if (!isSignedIn(req)) return next();
    const { points, secondsLeft } = counts.count(['forms', readerOf(req).id]);
    next(points <= FORMS_A_MINUTE ? undefined : tooManyRequests(secondsLeft, 'account'));
  };
}

function onlyPost(handler: RequestHandler): RequestHandler {
  return (req, res, next) =>
    req.method === 'GET' || req.method === 'HEAD' ? next() : handler(req, res, next);
}

function onlyGet(handler: RequestHandler): RequestHandler {
  return (req, res, next) =>
    req.method === 'GET' || req.method === 'HEAD' ? handler(req, res, next) : next();
}

const OWN_PAGES = [
  { label: 'Your apps', href: '/apps' },
  { label: 'Progress', href: '/apps/progress' },
];

const REGISTRATION = { label: 'Register an app', href: '/apps/register' };

const SUPPORT_PAGES = [
  { label: 'Search', href: '/support' },
  { label: 'Accounts', href: '/support/accounts' },
  { label: 'Desks', href: '/support/desks' },
  { label: 'Numbers', href: '/support/numbers' },
];

const PAGES_OF_LEADS = [{ label: 'API keys', href: '/support/api-keys' }];

const supportPages = (role: StaffRole | undefined) => [
  ...SUPPORT_PAGES,
  ...(role === 'lead' ? PAGES_OF_LEADS : []),
];

/**
 * The entries of the navigation, with the open page marked. Only staff see the way between the two halves of the site.
 */
function navigation(path: string, role: StaffRole | undefined, canRegister: boolean) {
  const isSupport = role !== undefined && (path === '/support' || path.startsWith('/support/'));
  const items = isSupport
    ? [...supportPages(role), { label: 'Your apps', href: '/apps' }]
    : [
        ...OWN_PAGES,
        ...(canRegister ? [REGISTRATION] : []),
        ...(role === undefined ? [] : [{ label: 'Support', href: '/support' }]),
      ];
  return items.map((item) => ({ ...item, current: item.href === path }));
}

/** The pages of support that have the search box in their middle. */
const SEARCH_PAGES: ReadonlySet<string> = new Set(['/support', '/support/search']);

/** The search box at the head of every other page of support. */
function searchOf(path: string, role: StaffRole | undefined, token: string) {
  if (role === undefined || !path.startsWith('/support/') || SEARCH_PAGES.has(path)) return undefined;
  return { action: '/support/search', token };
}

/** Staff of the company have no account here, so the pages of owners are not theirs. */
function framedForStaff({ vault }: SiteDeps, { req, locals }: Response): Record<string, unknown> {
  const staff = companyStaffOf(req);
  const token = formToken(vault.session(), req.sessionID);
  const path = req.originalUrl.split('?')[0] ?? '';
  const role = locals['role'] as StaffRole | undefined;
  return {
    person: staff,
    role,
    formToken: token,
    navigation: supportPages(role).map((item) => ({ ...item, current: item.href === path })),
    search: searchOf(path, role, token),
    signOut: { action: '/sign-out', csrf: token, name: staff?.email || staff?.name },
  };
}

function framed(context: SiteDeps, res: Response): Record<string, unknown> {
  const { vault } = context;
  const { req } = res;
  const person = personOf(req);
  if (!person) return companyStaffOf(req) ? framedForStaff(context, res) : { narrow: true };
  const token = formToken(vault.session(), req.sessionID);
  const canRegister = mayRegister(context, roleIn(res));
  const path = req.originalUrl.split('?')[0] ?? '';
  return {
    person,
    mayRegister: canRegister,
    role: roleIn(res),
    formToken: token,
    navigation: navigation(path, roleIn(res), canRegister),
    search: searchOf(path, roleIn(res), token),
    signOut: { action: '/sign-out', csrf: token, name: person.email, account: '/apps/account' },
  };
}

function notSignedIn(): PageError {
  return new PageError(401, 'You are not signed in', {
    reason: 'This address is for people who are signed in.',
    next: 'Sign in with a browser at this site, and send the cookie of that session.',
  });
}

/** A program would take the sign-in page for the requested data. Therefore a program gets a refusal in its own form. */
const refusePrograms: RequestHandler = (req, _res, next) => {
  const isTold = !isSignedIn(req) && answerForm(req) !== 'html';
  next(isTold ? notSignedIn() : undefined);
};

/** The page of the token, app or account that an action concerns. Every staff member may read this page. */
function pageOfAction({ originalUrl }: Request): string | undefined {
  return /^\/support\/(?:mappings|apps|accounts)\/[^/?#]+(?=\/)/.exec(originalUrl)?.[0];
}

function notAllowed(req: Request, role: StaffRole | undefined, needed: StaffRole): PageError {
  const href = pageOfAction(req);
  return role === undefined
    ? new PageError(403, 'This page is for support staff', {
        reason: 'Your account is not of the staff.',
        next: 'If it should be, ask the operator of this service to add it.',
      })
    : new PageError(403, 'Your role does not allow this', {
        reason: `It takes the role “${needed}”, and yours is “${role}”. Nothing was changed.`,
        next: `Ask somebody with the role “${needed}” to do it.`,
        ...(href !== undefined && { wayOn: { href, label: 'Back to the page of the action' } }),
      });
}

/** Builds the page shell once. */
export function createPageShell(parts: SigninPagesDeps): PageShell {
  const { context, pages } = parts;
  const page: PageShell['page'] = (
    res,
    template,
    { formTargets: targets, scripts = [], knownIds = [], ...data },
  ) => {
    const notice = takeNotice(context, res);
    const shown = {
      notice,
      narrow: false,
      scripts: [LOCAL_TIMES, PAGE_AIDS, ...scripts],
      ...framed(context, res),
    };
    const known = [...idsInAddress(res.req.originalUrl), ...knownIds];
    const html = withoutTypedTokens(pages.render(template, { ...shown, ...data }), fieldsOf(res.req), known);
    sendPage(res, html, { formTargets: targets, hasScripts: true });
  };
  const formGuard = [
    requireOwnForm(context.settings.publicUrl),
    brakeForms(context),
    readForm,
    requireSessionForm(parts, page),
  ];
  return {
    context,
    parts,
    // The role comes first: a refused form is also answered by a page with the navigation of the person.
    guard: [
      parts.sessions,
      cookieParser(),
      knowRole(context),
      ...formGuard.map(onlyPost),
      onlyGet(refusePrograms),
    ],
    requirePerson: (req, res, next) => {
      if (personOf(req)) return next();
      sendToSignIn(res);
    },
    requireRole: (needed) => (req, res, next) => {
      const role = roleIn(res);
      if (role === undefined && mustSignInAsStaff(context, req)) return sendToStaffSignIn(context, res);
      next(role !== undefined && mayAct(role, needed) ? undefined : notAllowed(req, role, needed));
    },
    page,
  };
}
