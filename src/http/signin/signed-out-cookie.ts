import type { Request, Response } from 'express';
import { DAY } from '../../shared/lifetimes.ts';

/**
 * Remembers in a browser that somebody signed out. The session at the new API, or at the company, may go on, so without this mark the next
 * sign-in, which any site can begin, would need no password (docs/threats.md F202). It says when, and nothing of the person.
 */
export interface SignedOutMark {
  /** `at`: when the person signed out. */
  give(res: Response, at: number): void;
  isIn(req: Request): boolean;
  /**
   * Whether the person signed out between the beginning of something and now. A mark of an earlier version does not say when,
   * and one from a clock that runs ahead must not lock the person out.
   */
  isBetween(req: Request, began: number, now: number): boolean;
  remove(req: Request, res: Response): void;
}

/** As long as a session at an account page may reasonably go on. */
const LASTS = 30 * DAY;

/**
 * The mark on the bridge's public address. The address decides whether the cookie may travel over plain HTTP. A mark of
 * the company sign-in is another cookie: the session that goes on is one at another server.
 */
export function createSignedOutMark(
  publicUrl: string,
  kind: 'signed_out' | 'company_signed_out' = 'signed_out',
): SignedOutMark {
  const secure = publicUrl.startsWith('https:');
  const name = `${secure ? '__Host-' : ''}gb_${kind}`;
  const options = { httpOnly: true, sameSite: 'lax', secure, path: '/' } as const;
  const read = (req: Request) => (req.cookies as Record<string, unknown> | undefined)?.[name];
  const isIn = (req: Request) => read(req) !== undefined;
  return {
    isIn,
    isBetween: (req, began, now) => Number(read(req)) > began && Number(read(req)) <= now,
    give: (res, at) => void res.cookie(name, String(at), { ...options, maxAge: LASTS }),
    remove: (req, res) => void (isIn(req) && res.clearCookie(name, options)),
  };
}

/** Both marks, where a person signs out after the session ran out: nobody knows any more which server it came from. */
export function giveBothMarks(
  { signedOut, companySignedOut }: Readonly<Record<'signedOut' | 'companySignedOut', SignedOutMark>>,
  res: Response,
  at: number,
): void {
  signedOut.give(res, at);
  companySignedOut.give(res, at);
}
