/**
 * Binds a form to the browser that shows the form, by a hidden field `csrf`: HMAC-SHA-256 of the session under a key
 * from the key file. On pages for everybody, the HMAC is over a random cookie of the browser.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import { newOpaqueValue } from '../../shared/ids.ts';

const COOKIE = 'modern_form';
const COOKIE_VALUE = /(?:^|;\s*)modern_form=([\w-]{43})(?:;|$)/;

export type FormBinding = ReturnType<typeof createFormBinding>;

/** The random cookie of this browser. A browser without the cookie gets a new cookie. */
function browserValue(req: Request, res: Response): string {
  const known = COOKIE_VALUE.exec(req.headers.cookie ?? '')?.[1];
  if (known !== undefined) return known;
  const value = newOpaqueValue();
  res.cookie(COOKIE, value, { httpOnly: true, sameSite: 'lax', path: '/settings' });
  return value;
}

/** `key` is 32 bytes in base64url. */
export function createFormBinding(key: string) {
  const secret = Buffer.from(key, 'base64url');
  const sign = (text: string) => createHmac('sha256', secret).update(text).digest('base64url');
  return {
    ofSession: (sessionUid: string): string => sign(`settings form|session|${sessionUid}`),
    ofBrowser: (req: Request, res: Response): string =>
      sign(`settings form|browser|${browserValue(req, res)}`),
    /** Takes the same time for every wrong value of the right length. */
    matches(expected: string, sent: string | undefined): boolean {
      const [a, b] = [Buffer.from(expected), Buffer.from(sent ?? '')];
      return a.length === b.length && timingSafeEqual(a, b);
    },
  };
}
