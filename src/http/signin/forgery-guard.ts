import { doubleCsrf } from 'csrf-csrf';
import type { Request } from 'express';
import type { KeyRing } from '../../shared/secrets.ts';
import type { BrowserCookie } from './browser-cookie.ts';

/** CSRF protection of the pages' forms: a token bound to the browser's cookie, sent back in the field `_csrf`. */
export function createForgeryGuard(session: KeyRing, browser: BrowserCookie, publicUrl: string) {
  const secure = publicUrl.startsWith('https:');
  return doubleCsrf({
    getSecret: () => session.all.map((key) => key.secret.toString('base64url')),
    getSessionIdentifier: (req: Request) => browser.read(req) ?? '',
    cookieName: secure ? '__Host-gb_csrf' : 'gb_csrf',
    cookieOptions: { httpOnly: true, sameSite: 'lax', secure, path: '/' },
    getCsrfTokenFromRequest: (req: Request) =>
      (req.body as Record<string, unknown> | undefined)?.['_csrf'] as string,
  });
}
