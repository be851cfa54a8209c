import { walkUntil } from '../../../support/callers/authorize.ts';
import { CookieWalker, type Page } from '../../../support/callers/cookie-walker.ts';
import { startSystem, type System, type SystemOptions } from '../../../support/bridge/system.ts';
import { freePort } from '../../../support/servers/free-port.ts';
import {
  BRIDGE_AT_COMPANY,
  type IdentityProvider,
  type ProviderOptions,
  startIdentityProvider,
} from './identity-provider.ts';

/** A bridge whose staff sign in at their company. */
export interface CompanySystem {
  system: System;
  company: IdentityProvider;
  at(path: string): string;
  stop(): Promise<void>;
}

const ROLES = 'support leads:lead,support-agents:agent,support-readers:reader';

const RETURN = '/sign-in/company/return';

/** The settings of the company sign-in. */
export const companySettings = (issuer: string): Record<string, string> => ({
  STAFF_OIDC_ISSUER: issuer,
  STAFF_OIDC_CLIENT_ID: BRIDGE_AT_COMPANY.clientId,
  STAFF_OIDC_CLIENT_SECRET: BRIDGE_AT_COMPANY.clientSecret,
  STAFF_OIDC_ROLES: ROLES,
});

/** Starts both. */
export async function startCompanySystem(
  options: SystemOptions = {},
  provider: Partial<ProviderOptions> = {},
): Promise<CompanySystem> {
  const port = await freePort();
  const env = { ...companySettings(`http://127.0.0.1:${port}`), ...options.env };
  const system = await startSystem({ ...options, env });
  const redirectUri = `${system.bridgeUrl}${RETURN}`;
  const company = await startIdentityProvider({ redirectUri, ...provider, port });
  return {
    system,
    company,
    at: (path) => `${system.bridgeUrl}${path}`,
    async stop() {
      await system.stop();
      await company.close();
    },
  };
}

/** Goes to the company from a page of the bridge; the address that the company sends the browser back to. */
export async function walkCompany(
  { system }: CompanySystem,
  left: Page,
  login: string,
  browser = new CookieWalker(),
): Promise<string> {
  const until = `${system.bridgeUrl}${RETURN}`;
  const person = { login, password: 'any' };
  return (await walkUntil(left.location ?? '', { browser, person, until })).location;
}

/** Signs in; the page that the return leads to, not followed. */
export async function signInStaff(
  ground: CompanySystem,
  browser: CookieWalker,
  { login = 'lena', path = '/support' }: { login?: string; path?: string } = {},
): Promise<Page> {
  const left = await browser.follow(await browser.get(ground.at(path)), 'http://127.0.0.1');
  return browser.get(await walkCompany(ground, left, login));
}

/** A new browser in which somebody of the company is signed in. */
export async function staffBrowser(ground: CompanySystem, login = 'lena'): Promise<CookieWalker> {
  const browser = new CookieWalker();
  await signInStaff(ground, browser, { login });
  return browser;
}
