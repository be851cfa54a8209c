import type { Context } from '../../domain/context.ts';
import type { Addresses } from './code/code-language.ts';

/** The endpoints of the authorization server stand below one address. */
function revocationFrom(authorizationUrl: string): string {
  return authorizationUrl.replace(/\/auth$/, '/token/revocation');
}

/** Where programs send old and new calls. */
export function addressesIn({
  settings,
  server,
  sides,
}: Pick<Context, 'settings' | 'server' | 'sides'>): Addresses {
  return {
    oldApi: settings.publicUrl,
    newApi: sides.apiUrl,
    revocation: revocationFrom(server.authorizationUrl),
  };
}
