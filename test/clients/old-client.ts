import { walkUntil } from '../support/callers/authorize.ts';
import { type ClientProcess, startClient } from '../support/bridge/client-process.ts';
import { type OldAddresses, serveOldAddresses } from '../support/servers/connect-proxy.ts';
import { CookieWalker } from '../support/callers/cookie-walker.ts';
import { freePort } from '../support/servers/free-port.ts';
import { type System, startSystem } from '../support/bridge/system.ts';

export interface OldClient {
  system: System;
  client: ClientProcess;
  /** `METHOD host path` of what the client sent to the old addresses. */
  seen: string[];
  /** Where its app listens, for clients that sign people in. */
  origin: string;
  stop(): Promise<void>;
}

/** The whole system and one program of ./programs, for which the old host names lead to this bridge. */
export async function startOldClient(
  program: string,
  { callbackPath = '/callback', env = {} }: { callbackPath?: string; env?: Record<string, string> } = {},
): Promise<OldClient> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const system = await startSystem({ callback: origin + callbackPath, env });
  const old: OldAddresses = await serveOldAddresses(system.bridgeUrl);
  const { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET } = system.app;
  const client = await startClient(program, old, { PORT: String(port), CLIENT_ID, CLIENT_SECRET });
  return {
    system,
    client,
    seen: old.seen,
    origin,
    async stop() {
      await client.stop();
      await old.close();
      await system.stop();
    },
  };
}

export interface SignIn {
  browser: CookieWalker;
  /** The client's callback with code and state, or error, not yet opened. */
  callback: string;
}

const OLD_AUTHORIZE = 'https://bufferapp.com';

/**
 * From the click on "connect" in the old app to its callback address. The client sends the browser to the old host; the
 * browser is led to the bridge there, as DNS would do it.
 */
export async function signIn(
  { system, origin }: OldClient,
  path: string,
  decision: 'allow' | 'deny' = 'allow',
): Promise<SignIn> {
  const browser = new CookieWalker();
  const sent = await browser.get(origin + path);
  if (!sent.location?.startsWith(OLD_AUTHORIZE))
    throw new Error(`redirected to ${sent.location ?? 'nowhere'}`);
  const authorizeUrl = system.bridgeUrl + sent.location.slice(OLD_AUTHORIZE.length);
  const { person, app } = system;
  const page = await walkUntil(authorizeUrl, {
    browser,
    person,
    decide: () => decision,
    until: app.callback,
  });
  return { browser, callback: page.location };
}
