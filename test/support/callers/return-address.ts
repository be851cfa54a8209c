import type { System } from '../bridge/system.ts';
import { walkUntil } from './authorize.ts';
import type { CookieWalker, Page } from './cookie-walker.ts';

/** A consent walked up to the address that the modern side sends the browser back to. */
export async function returnAddress(
  system: Pick<System, 'app' | 'bridgeUrl' | 'person'>,
  browser: CookieWalker,
  refuse?: 'consent',
): Promise<URL> {
  const query = new URLSearchParams({
    client_id: system.app.clientId,
    redirect_uri: system.app.callback,
    response_type: 'code',
    state: 'app-state',
  });
  const decide = (page: Page) => (refuse && !page.url.startsWith(system.bridgeUrl) ? 'deny' : 'allow');
  const start = `${system.bridgeUrl}/oauth2/authorize?${query.toString()}`;
  const { location } = await walkUntil(start, {
    browser,
    person: system.person,
    until: `${system.bridgeUrl}/callback`,
    decide,
  });
  return new URL(location);
}
