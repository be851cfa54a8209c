import type { Request, Response } from 'express';
import { newOpaqueValue } from '../../shared/ids.ts';

/**
 * A random value that marks one browser, so that what one browser started no other can finish. All its tabs share it;
 * each authorization request is a row of its own.
 */
function cookieName(isSecure: boolean): string {
  return isSecure ? '__Host-gb_browser' : 'gb_browser';
}

const VALUE = /^[A-Za-z0-9_-]{43}$/;

export interface BrowserCookie {
  /** The browser's value; undefined when it sent none. */
  read(req: Request): string | undefined;
  /** The browser's value, given to it now if it has none. */
  readOrGive(req: Request, res: Response): string;
}

/** The cookie on the bridge's public address; `publicUrl` decides whether it may travel in the clear. */
export function createBrowserCookie(publicUrl: string): BrowserCookie {
  const secure = publicUrl.startsWith('https:');
  const name = cookieName(secure);
  const read = (req: Request): string | undefined => {
    const value: unknown = (req.cookies as Record<string, unknown> | undefined)?.[name];
    return typeof value === 'string' && VALUE.test(value) ? value : undefined;
  };
  return {
    read,
    readOrGive(req, res) {
      const known = read(req);
      if (known !== undefined) return known;
      const value = newOpaqueValue();
      req.cookies = { ...req.cookies, [name]: value };
      res.cookie(name, value, { httpOnly: true, sameSite: 'lax', secure, path: '/' });
      return value;
    },
  };
}
