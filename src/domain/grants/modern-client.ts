import {
  findModernClient,
  findModernClientOf,
  type ModernClientRow,
} from '../../store/apps/modern-clients.ts';
import { NotSent } from '../../upstream/outcomes.ts';
import { MINUTE } from '../../shared/lifetimes.ts';
import type { AuthorizationServer } from '../../upstream/authorization-server.ts';
import type { GrantsDeps } from './deps.ts';
import { tellUnknownClient } from './tell-stop.ts';
import { clientSecretPlace } from '../keys/sealing-context.ts';

/**
 * The client at the new API that stands for an app: the app's own client, or the bridge's client (docs/decisions/0001).
 */

function asClient(context: GrantsDeps, row: ModernClientRow): AuthorizationServer {
  const { id, secret_sealed: sealed } = row;
  const clientSecret = sealed === null ? undefined : context.vault.open(clientSecretPlace(id), sealed);
  return context.sides.serverFor({ clientId: id, clientSecret });
}

/** The bridge has no credentials of the client through which a grant was obtained, or a consent is asked for. */
export class UnknownClient extends NotSent {}

/**
 * The authorization server, called as the client through which a grant was obtained. Another client must not present
 * the refresh token: the server would refuse it, and the bridge would take the grant for ended (docs/decisions/0001).
 * @throws {UnknownClient} MODERN_CLIENT_ID was changed
 */
export async function serverOf(context: GrantsDeps, modernClientId: string): Promise<AuthorizationServer> {
  if (modernClientId === context.server.clientId) return context.server;
  const row = await findModernClient(context.store.durable, modernClientId);
  if (row) return asClient(context, row);
  tellUnknownClient(context, modernClientId);
  // With a time to wait, so that no good answer to another grant ends the rest of this one.
  throw new UnknownClient('the client of the grant is not known to this bridge', { retryAfter: MINUTE });
}

/**
 * Whether a client is the bridge's or an app's own. A grant of another one was made before MODERN_CLIENT_ID was changed: it
 * is not renewed, and works again when the setting is set back.
 */
export async function isKnownClient(
  { server, store }: Pick<GrantsDeps, 'server' | 'store'>,
  modernClientId: string,
): Promise<boolean> {
  if (modernClientId === server.clientId) return true;
  return (await findModernClient(store.durable, modernClientId)) !== undefined;
}

/** The return address of the bridge's client and of apps' own clients that have a secret. */
const CALLBACK = '/callback';

/**
 * The path to which the new API sends a browser back. A public client has no secret to prove itself, and its id is not
 * secret. So a public client gets a return address that contains the app's `client_id`. Only the owner of the client
 * can register this address. So the address proves that the client is meant for the app.
 */
export function callbackPathOf(clientId: string, isPublic: boolean): string {
  return isPublic ? `${CALLBACK}/${clientId}` : CALLBACK;
}

/** The bridge's client, with the scopes that a consent asks for. */
export function bridgeClient(context: GrantsDeps, scopes: string): ConsentClient {
  return { server: context.server, scopes, isOwn: false, callbackPath: CALLBACK };
}

/** The client of a consent for an app, and the scopes that the consent asks for. */
export interface ConsentClient {
  server: AuthorizationServer;
  /** Separated by spaces. */
  scopes: string;
  /** Whether the consent page of the new API names the app instead of the bridge. */
  isOwn: boolean;
  /** A path below the public address. */
  callbackPath: string;
}

/** The client that new consents for an app use. */
export async function consentClientOf(context: GrantsDeps, clientId: string): Promise<ConsentClient> {
  const row = await findModernClientOf(context.store.durable, clientId);
  if (!row) return bridgeClient(context, context.settings.scopes);
  const callbackPath = callbackPathOf(clientId, row.secret_sealed === null);
  return { server: asClient(context, row), scopes: row.scopes, isOwn: true, callbackPath };
}

/** What a request keeps of the client through which its browser left. */
export interface LeavingClient {
  modern_client_id: string;
  consent_scopes: string;
  callback_path: string;
}

/** The client of a consent that begins, as its request keeps it. */
export const leavingBy = ({ server, scopes, callbackPath }: ConsentClient): LeavingClient => ({
  modern_client_id: server.clientId,
  consent_scopes: scopes,
  callback_path: callbackPath,
});

/**
 * The client through which the browser of a request left. The owner may have changed or removed the app's client since:
 * only the client that asked for the consent can exchange its code.
 * @throws {UnknownClient} the client is another app's now, or MODERN_CLIENT_ID was changed
 */
export async function clientThatLeft(
  context: GrantsDeps,
  left: LeavingClient & { client_id: string },
): Promise<ConsentClient> {
  const { modern_client_id: id, consent_scopes: scopes, callback_path: callbackPath } = left;
  if (id === context.server.clientId) return { server: context.server, scopes, isOwn: false, callbackPath };
  const row = await findModernClient(context.store.durable, id);
  if (row?.client_id !== left.client_id)
    throw new UnknownClient('the client of the consent is not known any more');
  return { server: asClient(context, row), scopes, isOwn: true, callbackPath };
}
