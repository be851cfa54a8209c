import type { Request, Response } from 'express';
import { AUTHORIZATION_REQUEST_LIFETIME } from '../../shared/lifetimes.ts';
import { makeRoom } from './browser-cookie.ts';

/**
 * Sign-ins that are under way in a browser. Each has a cookie of its own, so that several tabs do not disturb each other;
 * it holds all that is known of the sign-in, sealed.
 */
export interface SignInCookies {
  give(req: Request, res: Response, signIn: { id: string; sealed: string }): void;
  /** What the browser keeps of a sign-in; undefined when it began none of this id. */
  read(req: Request, id: string): string | undefined;
  /** The sign-in has ended. */
  remove(res: Response, id: string): void;
}

/** Sign-ins that one browser may have under way; their cookies are longer than others. */
const MOST = 12;

/** The cookies on the bridge's public address, which decides whether they may travel in the clear. */
export function createSignInCookies(publicUrl: string): SignInCookies {
  const secure = publicUrl.startsWith('https:');
  const prefix = secure ? '__Host-gb_sign_in_' : 'gb_sign_in_';
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
