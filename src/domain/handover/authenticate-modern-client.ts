import { OAuthError } from '../../shared/refusals/oauth-error.ts';
import { equalDigests } from '../../shared/secrets.ts';
import { findModernClient, type ModernClientRow, takesPairs } from '../../store/apps/modern-clients.ts';
import { authenticateClient, type Credentials, WrongSecret } from '../apps/authenticate-client.ts';
import type { Database } from '../../store/driver/store.ts';
import type { HandoverDeps } from './deps.ts';
import { clientSecretPlace } from '../keys/sealing-context.ts';

/** An app, by its own client at the new API. */
export type AppClient = Pick<ModernClientRow, 'id' | 'client_id'>;

/** A public client has no secret. Then the app authenticates with its secret at the bridge. */
async function isOfApp(context: HandoverDeps, row: ModernClientRow, clientSecret: string): Promise<boolean> {
  try {
    await authenticateClient(context, [{ clientId: row.client_id, clientSecret }]);
    return true;
  } catch (error) {
    if (error instanceof OAuthError) return false;
    throw error;
  }
}

async function isRight(context: HandoverDeps, row: ModernClientRow, clientSecret: string): Promise<boolean> {
  if (row.secret_sealed === null) return isOfApp(context, row, clientSecret);
  if (row.secret_retired_at !== null) return false;
  const known = context.vault.open(clientSecretPlace(row.id), row.secret_sealed);
  return equalDigests(context.vault.digest(known), context.vault.digest(clientSecret));
}

/**
 * Returns the client with these credentials.
 * @throws {OAuthError} `invalid_client`, the same for an unknown client and a wrong secret
 */
export async function authenticateModernClient(
  context: HandoverDeps,
  readings: readonly Credentials[],
): Promise<AppClient> {
  let known: string | undefined;
  for (const { clientId, clientSecret } of readings) {
    const row = await findModernClient(context.store.durable, clientId);
    if (row && (await isRight(context, row, clientSecret))) return row;
    if (row) known = row.client_id;
  }
  if (known !== undefined) throw new WrongSecret(known);
  const detail = 'unknown client';
  throw new OAuthError('invalid_client', 'The client could not be authenticated.', { detail });
}

/**
 * Returns the client with these credentials, if the client may take token pairs now. A client that its app no longer
 * uses gets the answer for an unknown client, which does not show that the secret is right.
 * @throws {OAuthError} `invalid_client`
 */
export async function authenticateTaker(
  context: HandoverDeps,
  readings: readonly Credentials[],
): Promise<AppClient> {
  const client = await authenticateModernClient(context, readings);
  await requireTaker(context.store.durable, client);
  return client;
}

/** @throws {OAuthError} `invalid_client` when the client may take no token pair */
export async function requireTaker(db: Database, client: AppClient): Promise<void> {
  if (await takesPairs(db, client.id)) return;
  const detail = `the app is retired, or does not use the client ${client.id} any more`;
  throw new OAuthError('invalid_client', 'The client could not be authenticated.', { detail });
}
