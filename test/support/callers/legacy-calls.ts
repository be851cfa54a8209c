import { type Authorization, authorize, type LegacyApp } from './authorize.ts';
import type { CookieWalker } from './cookie-walker.ts';
import { type RawAnswer, rawForm, sendRaw } from './raw-request.ts';
import type { System } from '../bridge/system.ts';

export interface AuthorizeAs {
  app?: LegacyApp;
  state?: string;
  refuse?: 'approval' | 'consent';
  browser?: CookieWalker;
}

/** The account holder of the system lets the app in; a new browser unless one is given. */
export async function authorizeIn(system: System, options: AuthorizeAs = {}): Promise<Authorization> {
  return authorize({ bridgeUrl: system.bridgeUrl, app: system.app, person: system.person, ...options });
}

/** A fresh code as an app reads it from its callback. */
export async function freshCode(system: System, options: AuthorizeAs = {}): Promise<string> {
  const { code, location } = await authorizeIn(system, options);
  if (code === undefined) throw new Error(`no code in ${location}`);
  return decodeURIComponent(code);
}

/** The parameters of an ordinary exchange. */
export function exchangeFields(app: LegacyApp, code: string): Record<string, string> {
  return {
    client_id: app.clientId,
    client_secret: app.clientSecret,
    redirect_uri: app.callback,
    code,
    grant_type: 'authorization_code',
  };
}

export async function exchange(
  system: System,
  code: string,
  app: LegacyApp = system.app,
): Promise<RawAnswer> {
  const body = new URLSearchParams(exchangeFields(app, code)).toString();
  return sendRaw(system.bridgeUrl, { method: 'POST', path: '/1/oauth2/token.json', ...rawForm(body) });
}

/** The token of a successful exchange. */
export function tokenOf({ json, text }: RawAnswer): string {
  const token = json instanceof Object && 'access_token' in json ? json.access_token : undefined;
  if (typeof token !== 'string') throw new Error(`the exchange gave no token: ${text}`);
  return token;
}

/** Authorizes and exchanges; the long-lived token. */
export async function issueToken(system: System, options: AuthorizeAs = {}): Promise<string> {
  return tokenOf(await exchange(system, await freshCode(system, options), options.app));
}

export async function read(system: System, path: string, token: string): Promise<RawAnswer> {
  return sendRaw(system.bridgeUrl, { path, headers: { authorization: `Bearer ${token}` } });
}
