import {
  findModernClient,
  findModernClientOf,
  type ModernClientRow,
} from '../../store/apps/modern-clients.ts';
import type { AuthorizationServer } from '../../upstream/authorization-server.ts';
import type { Context } from '../context.ts';
import { clientSecretPlace } from '../keys/sealing-context.ts';

/** Which client of the modern side stands for an app: one of its own, or the bridge's (docs/decisions/0001). */

function asClient(context: Context, row: ModernClientRow): AuthorizationServer {
  const { id, secret_sealed: sealed } = row;
  const clientSecret = sealed === null ? undefined : context.vault.open(clientSecretPlace(id), sealed);
  return context.sides.serverFor({ clientId: id, clientSecret });
}

/** The authorization server as the client that a grant was obtained with. */
export async function serverOf(context: Context, modernClientId: string): Promise<AuthorizationServer> {
  if (modernClientId === context.server.clientId) return context.server;
  const row = await findModernClient(context.store.durable, modernClientId);
  return row ? asClient(context, row) : context.server;
}

/** The bridge's own return address, and that of apps' clients that have a secret. */
const CALLBACK = '/callback';

/**
 * Where the modern side sends a browser back to. A public client has no secret to prove itself by, and its id is no secret:
 * that it is meant for this app is shown by an address of the app's own, which only the client's owner can register there.
 */
export function callbackPathOf(clientId: string, isPublic: boolean): string {
  return isPublic ? `${CALLBACK}/${clientId}` : CALLBACK;
}

/** The bridge's own client, asked for these scopes. */
export function bridgeClient(context: Context, scopes: string): ConsentClient {
  return { server: context.server, scopes, isOwn: false, callbackPath: CALLBACK };
}

/** What a consent for an app names and asks for. */
export interface ConsentClient {
  server: AuthorizationServer;
  /** Separated by spaces. */
  scopes: string;
  /** Whether the page of the modern side names the app, not the bridge. */
  isOwn: boolean;
  /** Below the public address. */
  callbackPath: string;
}

/** The client that consents for an app go through from now on. */
export async function consentClientOf(context: Context, clientId: string): Promise<ConsentClient> {
  const row = await findModernClientOf(context.store.durable, clientId);
  if (!row) return bridgeClient(context, context.settings.scopes);
  const callbackPath = callbackPathOf(clientId, row.secret_sealed === null);
  return { server: asClient(context, row), scopes: row.scopes, isOwn: true, callbackPath };
}
