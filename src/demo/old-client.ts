import type { RequestHandler } from 'express';
import grant from 'grant';
import type { DemoSettings } from './settings.ts';
import type { Wire } from './wire.ts';

/** Where the old client library listens. The library derives both addresses from its name for the provider. */
export const connectPath = '/connect/buffer';
export const callbackPath = `${connectPath}/callback`;

/** What the library leaves in `res.locals.grant.response` after the callback. */
export interface ClientResult {
  access_token?: string;
  error?: unknown;
}

// The type declarations of the library promise an ES default export. The package is CommonJS and exports the function
// itself.
const client = grant as unknown as typeof grant.default;

const EXCHANGE_TIMEOUT_MS = 20_000;

/**
 * The client library as an app of the time would have set the library up. Only the two addresses of the provider
 * differ, because a move behind the bridge changes only these two addresses of an integration.
 */
export function createOldClient(settings: DemoSettings, wire: Wire): RequestHandler {
  const handler: unknown = client.express({
    config: {
      defaults: { origin: settings.publicUrl, transport: 'state', state: true },
      buffer: {
        authorize_url: `${settings.bridgeUrl}/oauth2/authorize`,
        access_url: `${settings.bridgeUrl}/1/oauth2/token.json`,
        key: settings.clientId,
        secret: settings.clientSecret,
      },
    },
    request: { agent: wire.agent, timeout: EXCHANGE_TIMEOUT_MS },
  });
  return handler as RequestHandler;
}
