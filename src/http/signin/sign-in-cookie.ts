import type { Request, Response } from 'express';
import { AUTHORIZATION_REQUEST_LIFETIME } from '../../shared/lifetimes.ts';
import { makeRoom } from './browser-cookie.ts';

/**
 * Sign-ins that are under way in a browser. Each sign-in has a cookie of its own, so that several tabs do not disturb
 * each other. The cookie holds the whole sign-in, sealed.
 */
export interface SignInCookies {
  give(req: Request, res: Response, signIn: { id: string; sealed: string }): void;
  /** The sealed sign-in of this id; undefined when the browser began none with this id. */
  read(req: Request, id: string): string | undefined;
  /** Removes the cookie, because the sign-in has ended. */
  remove(res: Response, id: string): void;
}

/** The most sign-ins of one browser at a time. Their cookies are longer than the cookies of requests. */
const MOST = 12;

/** The cookies on the bridge's public address. The address decides whether the cookies may travel over plain HTTP. */
export function createSignInCookies(publicUrl: string, name = 'sign_in'): SignInCookies {
  const secure = publicUrl.startsWith('https:');
  const prefix = `${secure ? '__Host-' : ''}gb_${name}_`;
  const options = { httpOnly: true, sameSite: 'lax', secure, path: '/' } as const;
  return {
    give(req, res, { id, sealed }) {
      makeRoom(req, res, { prefix, most: MOST, options });
      res.cookie(`${prefix}${id}`, sealed, { ...options, maxAge: AUTHORIZATION_REQUEST_LIFETIME });
    },
    read(req, id) {
      const value = (req.cookies as Record<string, unknown> | undefined)?.[`${prefix}${id}`];
      return typeof value === 'string' ? value : undefined;
    },
    remove: (res, id) => void res.clearCookie(`${prefix}${id}`, options),
  };
}
