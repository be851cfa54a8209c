/**
 * Who is signed in. There is one session for the settings and for /auth: the provider's own model and signed cookie, so
 * that signing in or out at one place counts at the other.
 */
import type { Request, Response } from 'express';
import { SESSION_SECONDS } from '../lifetimes.ts';
import type { AccountRecord } from '../main-api/directory.ts';
import type { SettingsParts } from './parts.ts';

type Exchange = { req: Request; res: Response };
type Parts = Pick<SettingsParts, 'provider' | 'store'>;

export interface SignedIn {
  account: AccountRecord;
  /** Stays the same while the cookie's value changes; no credential. */
  sessionUid: string;
}

/** As the provider sets its session cookie: signed, for the whole host. */
const COOKIE = { httpOnly: true, sameSite: 'lax', overwrite: true } as const;

const contextOf = ({ provider }: Parts, { req, res }: Exchange) => provider.createContext(req, res);

/** Undefined for a browser without a session (one from before a password change is none), or whose account is gone. */
export async function readSession(parts: Parts, exchange: Exchange): Promise<SignedIn | undefined> {
  const session = await parts.provider.Session.get(contextOf(parts, exchange));
  const account = session.accountId === undefined ? undefined : parts.store.accounts.find(session.accountId);
  return account && { account, sessionUid: session.uid };
}

/** Ends the session of this browser: its row is gone, so that no copy of the cookie is worth anything. */
export async function endSession(parts: Parts, exchange: Exchange): Promise<void> {
  const context = contextOf(parts, exchange);
  const session = await parts.provider.Session.get(context);
  await session.destroy();
  context.cookies.set(parts.provider.cookieName('session'), null, COOKIE);
}

/** Always a new session under a new id: whatever cookie the browser came with is worth nothing afterwards. */
export async function beginSession(
  parts: Parts,
  exchange: Exchange,
  login: { accountId: string; loginTs: number },
): Promise<void> {
  await endSession(parts, exchange);
  const session = new parts.provider.Session();
  session.loginAccount({ ...login, amr: ['pwd'] });
  await session.save(SESSION_SECONDS);
  const expires = new Date(Date.now() + SESSION_SECONDS * 1000);
  contextOf(parts, exchange).cookies.set(parts.provider.cookieName('session'), session.jti, {
    ...COOKIE,
    expires,
  });
}
