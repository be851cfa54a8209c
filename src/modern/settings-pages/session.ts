/**
 * The signed-in account. The settings and /auth share one session: the session model and the signed cookie of the
 * provider. A sign-in or sign-out at one of the two counts at the other.
 */
import type { Request, Response } from 'express';
import { SESSION_SECONDS } from '../lifetimes.ts';
import type { AccountRecord } from '../main-api/directory.ts';
import type { SettingsPagesDeps } from './parts.ts';

type HttpExchange = { req: Request; res: Response };
type SessionDeps = Pick<SettingsPagesDeps, 'provider' | 'store'>;

export interface SettingsSession {
  account: AccountRecord;
  /** Stays the same while the value of the cookie changes. This uid is no credential. */
  sessionUid: string;
}

/** The same attributes as the session cookie of the provider, for the whole host. */
const COOKIE = { httpOnly: true, sameSite: 'lax', overwrite: true } as const;

const contextOf = ({ provider }: SessionDeps, { req, res }: HttpExchange) => provider.createContext(req, res);

/**
 * Undefined for a browser without a session, or when the account is gone. A session from before a password change
 * counts as no session.
 */
export async function readSession(
  parts: SessionDeps,
  exchange: HttpExchange,
): Promise<SettingsSession | undefined> {
  const session = await parts.provider.Session.get(contextOf(parts, exchange));
  const account = session.accountId === undefined ? undefined : parts.store.accounts.find(session.accountId);
  return account && { account, sessionUid: session.uid };
}

/** Ends the session of this browser. The row of the session is deleted: copies of the cookie are worthless. */
export async function endSettingsSession(parts: SessionDeps, exchange: HttpExchange): Promise<void> {
  const context = contextOf(parts, exchange);
  const session = await parts.provider.Session.get(context);
  await session.destroy();
  context.cookies.set(parts.provider.cookieName('session'), null, COOKIE);
}

/** Begins a new session under a new id. The cookie that the browser sent is worthless afterwards. */
export async function beginSession(
  parts: SessionDeps,
  exchange: HttpExchange,
  login: { accountId: string; loginTs: number },
): Promise<void> {
  await endSettingsSession(parts, exchange);
  const session = new parts.provider.Session();
  session.loginAccount({ ...login, amr: ['pwd'] });
  await session.save(SESSION_SECONDS);
  const expires = new Date(Date.now() + SESSION_SECONDS * 1000);
  contextOf(parts, exchange).cookies.set(parts.provider.cookieName('session'), session.jti, {
    ...COOKIE,
    expires,
  });
}
