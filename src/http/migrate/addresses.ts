import type { MigrateDeps } from './deps.ts';
import type { Addresses } from './code/code-language.ts';

/** All endpoints of the authorization server have the same base address. */
function revocationFrom(authorizationUrl: string): string {
  return authorizationUrl.replace(/\/auth$/, '/token/revocation');
}

/** The addresses for old and new calls. */
export function addressesIn({
  settings,
  server,
  sides,
}: Pick<MigrateDeps, 'settings' | 'server' | 'sides'>): Addresses {
  return {
    oldApi: settings.publicUrl,
    newApi: sides.apiUrl,
    revocation: revocationFrom(server.authorizationUrl),
  };
}
