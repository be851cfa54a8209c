import { createHmac } from 'node:crypto';
import type { CookieOptions, Request, Response } from 'express';
import { HEX_ID, newOpaqueValue } from '../../shared/ids.ts';
import { AUTHORIZATION_REQUEST_LIFETIME } from '../../shared/lifetimes.ts';
import { equalDigests, type KeyRing } from '../../shared/secrets.ts';

/**
 * Binds an authorization request to one browser: no other browser can finish the request. Each request has a cookie of
 * its own. With one cookie for all requests, two tabs that open at once would overwrite each other's value.
 */
export interface BrowserCookies {
  /** The value for a request; undefined when this browser has none. */
  read(req: Request, requestId: string): string | undefined;
  /** The value for a request, which lasts from now on. A browser without a value gets a new one. */
  readOrGive(req: Request, res: Response, requestId: string): string;
  /** The values of all requests that run in this browser. Where there are more than the bridge gives, the newest. */
  all(req: Request): string[];
  /** Removes the cookie, because the request has ended. */
  remove(res: Response, requestId: string): void;
}

const VALUE = /^[A-Za-z0-9_-]{43}$/;

/** The most requests of one browser at a time. More cookies would make the header longer than servers accept. */
const MOST = 30;

interface CookieKind {
  prefix: string;
  most: number;
  options: CookieOptions;
}

/** Removes the oldest cookies of a kind to make room for one more. Browsers send the oldest cookies first. */
export function makeRoom(req: Request, res: Response, { prefix, most, options }: CookieKind): void {
  const names = Object.keys((req.cookies ?? {}) as object).filter((name) => name.startsWith(prefix));
  for (const name of names.slice(0, Math.max(0, names.length - most + 1))) res.clearCookie(name, options);
}

function valuesOf(req: Request): Array<[name: string, value: string]> {
  const cookies = (req.cookies ?? {}) as Record<string, unknown>;
  return Object.entries(cookies).flatMap(([name, value]) =>
    typeof value === 'string' && VALUE.test(value) ? [[name, value] as [string, string]] : [],
  );
}

/** The cookies on the bridge's public address. The address decides whether the cookies may travel over plain HTTP. */
export function createBrowserCookies(publicUrl: string): BrowserCookies {
  const secure = publicUrl.startsWith('https:');
  const prefix = secure ? '__Host-gb_browser_' : 'gb_browser_';
  const options = { httpOnly: true, sameSite: 'lax', secure, path: '/' } as const;
  const read = (req: Request, requestId: string) =>
    valuesOf(req).find(([name]) => name === `${prefix}${requestId}`)?.[1];
  return {
    read,
    readOrGive(req, res, requestId) {
      if (!HEX_ID.test(requestId)) return '';
      const known = read(req, requestId);
      if (known === undefined) makeRoom(req, res, { prefix, most: MOST, options });
      const value = known ?? newOpaqueValue();
      res.cookie(`${prefix}${requestId}`, value, { ...options, maxAge: AUTHORIZATION_REQUEST_LIFETIME });
      return value;
    },
    all: (req) =>
      valuesOf(req)
        .flatMap(([name, value]) => (name.startsWith(prefix) ? [value] : []))
        .slice(-MOST),
    remove: (res, requestId) => void res.clearCookie(`${prefix}${requestId}`, options),
  };
}

/** The hidden field of a form. It proves that the form comes from the page that this browser got. */
export function formToken({ active }: KeyRing, browser: string): string {
  return createHmac('sha256', active.secret).update(`form|${browser}`).digest('base64url');
}

/** Whether the field belongs to this browser, under any key. */
export function isFormToken({ all }: KeyRing, browser: string, field: unknown): boolean {
  return (
    typeof field === 'string' &&
    all.some((key) => equalDigests(formToken({ active: key, all }, browser), field))
  );
}
