import { once } from 'node:events';
import { createServer } from 'node:http';
import express from 'express';
import { type Configuration, Provider } from 'oidc-provider';
import { BRIDGE_CLIENT, type ModernSide, type ModernSideOptions } from '../support/servers/modern-side.ts';
import { createMainApiServer } from '../../src/modern/main-api/main-api.ts';
import { openDemoData } from './demo-data.ts';

const SCOPES =
  'posts:read posts:write ideas:read ideas:write account:read account:write snippets:read snippets:write';

/**
 * Everything that is not here is the provider's default, and so differs from the embedded modern generation: bundled
 * memory adapter, one grant shared by all consents of an account and client, default rotation, no revocation and no
 * introspection, its own development pages.
 */
function configuration({ redirectUri, accessTokenSeconds }: ModernSideOptions): Configuration {
  return {
    scopes: ['openid', 'offline_access', ...SCOPES.split(' ')],
    pkce: { required: () => true },
    ttl: { AccessToken: accessTokenSeconds },
    // With the default the short-lived tokens of the tests would live fifteen seconds longer.
    clockTolerance: 0,
    clients: [
      {
        client_id: BRIDGE_CLIENT,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        redirect_uris: [redirectUri],
      },
    ],
  };
}

/** A second modern side that is not ours: a plain oidc-provider in front of the same demo channels. */
export async function startPlainProvider(options: ModernSideOptions): Promise<ModernSide> {
  const provider = new Provider(options.issuer, configuration(options));
  const demo = openDemoData();
  const mainApi = createMainApiServer({
    data: demo.data,
    onUnexpected: (error) => process.emitWarning(error),
    async authenticate(token) {
      const found = await provider.AccessToken.find(token);
      return found
        ? { accountId: found.accountId, scopes: [...found.scopes], client: `app:${found.clientId}` }
        : null;
    },
  });
  const server = createServer(express().use(mainApi).use(provider.callback()));
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${options.port}`,
    // its development login takes any name as the account id and any password
    person: { login: demo.accountId, password: 'any' },
    async close() {
      server.close();
      server.closeAllConnections();
      demo.close();
    },
  };
}
