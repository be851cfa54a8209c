import type { Request, RequestHandler, Response } from 'express';
import type { Context } from '../../domain/context.ts';
import { readForm, requireOwnForm } from '../forms.ts';
import { PageError } from '../page-error.ts';
import { sendPage } from '../page-headers.ts';
import { formToken, isFormToken } from '../signin/browser-cookie.ts';
import type { SigninParts } from '../signin/parts.ts';
import { type Person, personOf } from '../signin/session.ts';
import { noticeOf } from './notices.ts';

/**
 * What every owners' page stands in: the navigation, who is signed in, and the guard of its forms. A form below /apps
 * is taken from a signed-in person alone, from a page of ours, with that page's hidden field; no page can forget it.
 */

/** What a template is given besides `title`; `formTargets` is where its forms may lead beyond this site (CSP). */
export type PageData = Record<string, unknown> & { title: string; formTargets?: string };

export interface Frame {
  context: Context;
  parts: SigninParts;
  /** Before all routes below /apps. */
  guard: RequestHandler[];
  /** Before a GET that only signed-in people see: the others are sent to the sign-in and come back. */
  requirePerson: RequestHandler;
  /**
   * Sends the page. Its forms carry `<input type="hidden" name="_form" value="<%= it.formToken %>">`; `?done=` in the
   * address shows one of the notices.
   */
  page(res: Response, template: string, data: PageData): void;
}

function expired(): PageError {
  return new PageError(403, 'This form has expired', {
    reason: 'You were signed out meanwhile, or the form was not sent from the page that this browser opened.',
    next: 'Nothing was changed. Open the page again and send it once more.',
  });
}

/** Who is signed in, behind `requirePerson` or in a form. */
export function personIn(req: Request): Person {
  const person = personOf(req);
  if (!person) throw expired();
  return person;
}

/** The fields of a form that came through the guard, each once; of a repeated one the first. */
export function fieldsOf(req: Request): Record<string, string> {
  const body = (req.body ?? {}) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, String(Array.isArray(value) ? value[0] : value)]),
  );
}

/** Whether a form's hidden field, `_form` or the layout's `csrf`, is that of this session. */
function isOfSession({ vault }: Context, req: Request): boolean {
  const { _form: own, csrf } = fieldsOf(req);
  return personOf(req) !== undefined && isFormToken(vault.session(), req.sessionID, own ?? csrf);
}

const requireSessionForm =
  (context: Context): RequestHandler =>
  (req, _res, next) =>
    next(isOfSession(context, req) ? undefined : expired());

function onlyPost(handler: RequestHandler): RequestHandler {
  return (req, res, next) =>
    req.method === 'GET' || req.method === 'HEAD' ? next() : handler(req, res, next);
}

/** The entries of the navigation; the one that is open is marked. */
function navigation(path: string) {
  const items = [
    { label: 'Your apps', href: '/apps' },
    { label: 'Register an app', href: '/apps/register' },
  ];
  return items.map((item) => ({ ...item, current: item.href === path }));
}

function framed({ vault }: Context, req: Request): Record<string, unknown> {
  const person = personOf(req);
  if (!person) return { narrow: true };
  const token = formToken(vault.session(), req.sessionID);
  return {
    person,
    formToken: token,
    navigation: navigation(req.path),
    signOut: { action: '/sign-out', csrf: token, name: person.email },
  };
}

/** Where the sign-in leads back to. */
export function signInAddress(req: Request): string {
  return `/sign-in?return_to=${encodeURIComponent(req.originalUrl.split('?')[0] ?? '')}`;
}

/** Builds it once. */
export function createFrame(parts: SigninParts): Frame {
  const { context, pages } = parts;
  const formGuard = [requireOwnForm(context.settings.publicUrl), readForm, requireSessionForm(context)];
  return {
    context,
    parts,
    guard: [parts.sessions, ...formGuard.map(onlyPost)],
    requirePerson: (req, res, next) => {
      if (personOf(req)) return next();
      res.redirect(303, signInAddress(req));
    },
    page(res, template, { formTargets, ...data }) {
      const notice = noticeOf(res.req.query['done']);
      const html = pages.render(template, { notice, narrow: false, ...framed(context, res.req), ...data });
      sendPage(res, html, formTargets);
    },
  };
}
