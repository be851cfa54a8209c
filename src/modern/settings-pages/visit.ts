import type { Request, Response } from 'express';
import type { AccountRecord } from '../main-api/directory.ts';
import { siteName } from '../page-headers.ts';
import { noticeOf } from './notices.ts';
import type { SettingsPagesDeps } from './parts.ts';

/** One request for a settings page, with all known facts about the request. */
export interface OpenVisit {
  parts: SettingsPagesDeps;
  req: Request;
  res: Response;
  /** Undefined when no account is signed in. */
  account: AccountRecord | undefined;
  /** The hidden field `csrf` of every form on the page. */
  csrf: string;
  /** The `csrf` of the sign-out form at the top of the page. This value is bound to the session on every page. */
  signOutCsrf: string | undefined;
  /** The fields of the form that was sent; empty for a GET. */
  form: Partial<Record<string, string>>;
}

/** A visit of a signed-in account. */
export interface Visit extends OpenVisit {
  account: AccountRecord;
  signOutCsrf: string;
  /** The uid of the session, as in `oidc_records.uid`. */
  sessionUid: string;
}

const SECTIONS = [
  { label: 'API', href: '/settings/api' },
  { label: 'Connected apps', href: '/settings/apps' },
  { label: 'Account', href: '/settings/account' },
];

const isBelow = (path: string, href: string) => path === href || path.startsWith(`${href}/`);

const navigationOf = (path: string) =>
  SECTIONS.map((section) => ({ ...section, current: isBelow(path, section.href) }));

function frameOf({ req, account, csrf, signOutCsrf }: OpenVisit): Record<string, unknown> {
  const path = req.baseUrl + req.path;
  return {
    siteName,
    siteLink: '/settings',
    narrow: account === undefined,
    navigation: account ? navigationOf(path) : [],
    signOut: account && {
      action: '/settings/sign-out',
      csrf: signOutCsrf,
      name: account.name ?? account.email,
    },
    notice: noticeOf(path, req.query['done']),
    csrf,
    account,
  };
}

/** The data of a page. `title` is required. */
export type PageData = { title: string } & Record<string, unknown>;

/** Renders `pages/<template>.eta` in the frame of the settings pages. */
export const render = (visit: OpenVisit, template: string, data: PageData): string =>
  visit.parts.pages.render(template, { ...frameOf(visit), ...data });

export function show(visit: OpenVisit, template: string, data: PageData): void {
  visit.res.type('html').send(render(visit, template, data));
}

/**
 * Redirects a request without a signed-in account to the sign-in page. `hasPage` means that a GET can open the address
 * again. The entries of a form that arrived too late are lost, and the sign-in page says so. The sign-out form gets no
 * such message, because its address has no page.
 */
export function askToSignIn({ method, baseUrl, path }: Request, res: Response, hasPage: boolean): void {
  const next = hasPage ? `?next=${encodeURIComponent(baseUrl + path)}` : '';
  res.redirect(303, `/settings/sign-in${next}${next && method === 'POST' ? '&done=not-saved' : ''}`);
}

/** The answer to a form that was carried out. `done` names a text of notices.ts. */
export function goTo({ res }: OpenVisit, path: string, done?: string): void {
  res.redirect(303, done === undefined ? path : `${path}?done=${done}`);
}

const REFUSALS = {
  400: {
    title: 'This form could not be read',
    text: 'Something in it is missing or stands there twice. Go back, load the page again and try once more. Nothing was changed.',
  },
  403: {
    title: 'This form is no longer valid',
    text: 'It was opened before you signed in or out, or it was sent from somewhere else, or this browser keeps no cookies. Open the page again and try once more. Nothing was changed.',
  },
  404: {
    title: 'There is no such page',
    text: 'The address may be mistyped, or what stood here is gone already: deleted, replaced or revoked.',
  },
  405: {
    title: 'This address cannot be used like that',
    text: 'It was opened or sent in a way that is not meant for it. Use the links and buttons of the pages. Nothing was changed.',
  },
  413: {
    title: 'This form is too long',
    text: 'Go back, shorten what you entered and try again. Nothing was changed.',
  },
};

export type RefusalStatus = keyof typeof REFUSALS;

export function refuse(visit: OpenVisit, status: RefusalStatus): void {
  visit.res.status(status);
  show(visit, 'error', REFUSALS[status]);
}
