import { createHmac } from 'node:crypto';
import type { Response } from 'express';
import type { PagesDeps } from './deps.ts';
import { MINUTE } from '../../shared/lifetimes.ts';
import { equalDigests, type Key } from '../../shared/secrets.ts';
import { type PageNotice, pageNoticeOf } from './notices.ts';

/**
 * Shows the outcome of a form once, on the page to which the form leads. The address alone is not believed: anybody
 * could make a link that claims, for example, a revocation that did not happen. Therefore the redirect sets a cookie
 * that names the same notice for the same page.
 */

/** The page to which an action leads, and the notice (notices.ts) on that page. */
export interface NoticeRedirect {
  href: string;
  notice: string;
}

/** Long enough for a slow page. */
const KEPT = 1 * MINUTE;

/** Long enough that nobody guesses a mark within that time. */
const LENGTH = 16;

function markOf({ secret }: Key, { href, notice }: NoticeRedirect): string {
  const mac = createHmac('sha256', secret).update(`notice|${notice}|${href}`);
  return mac.digest('base64url').slice(0, LENGTH);
}

function cookieFor({ settings: { publicUrl } }: PagesDeps) {
  const secure = publicUrl.startsWith('https:');
  const options = { httpOnly: true, sameSite: 'lax', secure, path: '/' } as const;
  return { name: secure ? '__Host-gb_notice' : 'gb_notice', options };
}

/** Sends the browser to a page that shows the notice. */
export function leaveWith(context: PagesDeps, res: Response, leaving: NoticeRedirect): void {
  const { name, options } = cookieFor(context);
  res.cookie(name, markOf(context.vault.session().active, leaving), { ...options, maxAge: KEPT });
  res.redirect(303, `${leaving.href}?done=${leaving.notice}`);
}

/** The notice for the page that is being answered; it is not shown again. Undefined where no action led here. */
export function takeNotice(context: PagesDeps, res: Response): PageNotice | undefined {
  const { req } = res;
  const { done: notice } = req.query;
  const { name, options } = cookieFor(context);
  const given = (req.cookies as Record<string, unknown> | undefined)?.[name];
  if (typeof notice !== 'string' || typeof given !== 'string') return undefined;
  const leaving = { href: req.originalUrl.split('?')[0] ?? '', notice };
  if (!context.vault.session().all.some((key) => equalDigests(markOf(key, leaving), given))) return undefined;
  res.clearCookie(name, options);
  return pageNoticeOf(notice);
}
