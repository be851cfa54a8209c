import { createHmac } from 'node:crypto';
import type { Response } from 'express';
import type { Context } from '../../domain/context.ts';
import { MINUTE } from '../../shared/lifetimes.ts';
import { equalDigests, type Key } from '../../shared/secrets.ts';
import { type Notice, noticeOf } from './notices.ts';

/**
 * What came of a form is said once, on the page that it led to. The address alone says nothing: whoever makes a link to
 * that page could have it claim that something was revoked which was not, so a cookie goes with the redirect that names
 * the same notice for the same page.
 */

/** Where an action leads, and the notice (notices.ts) that stands there. */
export interface Leaving {
  href: string;
  notice: string;
}

/** A slow page gets it still. */
const KEPT = 1 * MINUTE;

/** Enough that none is guessed within that time. */
const LENGTH = 16;

function markOf({ secret }: Key, { href, notice }: Leaving): string {
  const mac = createHmac('sha256', secret).update(`notice|${notice}|${href}`);
  return mac.digest('base64url').slice(0, LENGTH);
}

function cookieFor({ settings: { publicUrl } }: Context) {
  const secure = publicUrl.startsWith('https:');
  const options = { httpOnly: true, sameSite: 'lax', secure, path: '/' } as const;
  return { name: secure ? '__Host-gb_notice' : 'gb_notice', options };
}

/** Sends the browser on to a page, which says what was done. */
export function leaveWith(context: Context, res: Response, leaving: Leaving): void {
  const { name, options } = cookieFor(context);
  res.cookie(name, markOf(context.vault.session().active, leaving), { ...options, maxAge: KEPT });
  res.redirect(303, `${leaving.href}?done=${leaving.notice}`);
}

/** The notice of the page that is being answered, which is not shown again; undefined where nothing led here. */
export function takeNotice(context: Context, res: Response): Notice | undefined {
  const { req } = res;
  const { done: notice } = req.query;
  const { name, options } = cookieFor(context);
  const given = (req.cookies as Record<string, unknown> | undefined)?.[name];
  if (typeof notice !== 'string' || typeof given !== 'string') return undefined;
  const leaving = { href: req.originalUrl.split('?')[0] ?? '', notice };
  if (!context.vault.session().all.some((key) => equalDigests(markOf(key, leaving), given))) return undefined;
  res.clearCookie(name, options);
  return noticeOf(notice);
}
