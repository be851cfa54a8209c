import { clientSecretPlace } from '../../../src/domain/keys/sealing-context.ts';
import { keepModernClient, useModernClient } from '../../../src/store/apps/modern-clients.ts';
import { type RawAnswer, rawForm, sendRaw } from '../../support/callers/raw-request.ts';
import { startSystem, type System, type SystemOptions } from '../../support/bridge/system.ts';

/** An app with a client of its own at the modern side, and what it asks the bridge as that client. */

export const OWN_CLIENT = {
  clientId: 'own-client-of-app',
  clientSecret: 'own-client-secret-0123456789',
  name: 'Old App',
};
/** A public client is for one app, by that app's own return address. */
const PUBLIC_APP = '4e9680c0512f7ed3220000bb';
export const PUBLIC_CLIENT = { clientId: 'public-client-of-app', name: 'Old App', ofApp: PUBLIC_APP };

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const CONFIRMATION = 'urn:grantbridge:params:oauth:grant-type:confirm-exchange';

/** Lets consents for the system's app name a client of its own. */
export async function useOwnClient(
  { bridge, app }: Pick<System, 'bridge' | 'app'>,
  client: { clientId: string; clientSecret?: string },
): Promise<void> {
  const { context } = bridge;
  const { clientId: id, clientSecret: secret } = client;
  const sealed = secret === undefined ? null : context.vault.seal(clientSecretPlace(id), secret);
  const scopes = context.settings.scopes;
  await context.store.transaction(async (tx) => {
    const row = {
      id,
      client_id: app.clientId,
      secret_sealed: sealed,
      scopes,
      proven_at: context.clock.now(),
    };
    await keepModernClient(tx, row);
    await useModernClient(tx, app.clientId, id);
  });
}

export async function startSystemWithOwnClient(options: SystemOptions = {}): Promise<System> {
  const system = await startSystem({ ...options, ownClients: [OWN_CLIENT, PUBLIC_CLIENT] });
  await useOwnClient(system, OWN_CLIENT);
  return system;
}

/** The fields of an exchange; what is undefined is left out. */
function exchangeFields(token: string, change: Record<string, string | undefined> = {}) {
  const fields = {
    grant_type: TOKEN_EXCHANGE,
    subject_token: token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    client_id: OWN_CLIENT.clientId,
    client_secret: OWN_CLIENT.clientSecret,
    ...change,
  };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

export function exchange(
  bridgeUrl: string,
  token: string,
  change: Record<string, string | undefined> = {},
): Promise<RawAnswer> {
  const body = new URLSearchParams(exchangeFields(token, change)).toString();
  return sendRaw(bridgeUrl, { method: 'POST', path: '/oauth2/exchange', ...rawForm(body) });
}

export function confirm(bridgeUrl: string, token: string): Promise<RawAnswer> {
  return exchange(bridgeUrl, token, { grant_type: CONFIRMATION });
}

/** A field of a JSON answer. */
export const fieldOf = (answer: { json: unknown }, name: string) =>
  (answer.json as Record<string, unknown>)[name];

/** Refreshes at the modern side as the app itself would. */
export async function refreshAsApp(
  { proxy }: Pick<System, 'proxy'>,
  refreshToken: string,
  client: { clientId: string; clientSecret?: string },
) {
  const answer = await fetch(`${proxy.origin}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      client_id: client.clientId,
      ...(client.clientSecret && { client_secret: client.clientSecret }),
    }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}
