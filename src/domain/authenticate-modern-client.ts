import { OAuthError } from '../shared/oauth-error.ts';
import { equalDigests } from '../shared/secrets.ts';
import { findModernClient, type ModernClientRow } from '../store/modern-clients.ts';
import { authenticateClient, type Credentials, WrongSecret } from './authenticate-client.ts';
import type { Context } from './context.ts';
import { clientSecretPlace } from './sealed-places.ts';

/** Who an app is, by the client that it has of its own at the modern side. */
export type AppClient = Pick<ModernClientRow, 'id' | 'client_id'>;

/** A public client has no secret: then the app shows the one that it has here. */
async function isOfApp(context: Context, row: ModernClientRow, clientSecret: string): Promise<boolean> {
  try {
    await authenticateClient(context, [{ clientId: row.client_id, clientSecret }]);
    return true;
  } catch (error) {
    if (error instanceof OAuthError) return false;
    throw error;
  }
}

async function isRight(context: Context, row: ModernClientRow, clientSecret: string): Promise<boolean> {
  if (row.secret_sealed === null) return isOfApp(context, row, clientSecret);
  const known = context.vault.open(clientSecretPlace(row.id), row.secret_sealed);
  return equalDigests(context.vault.digest(known), context.vault.digest(clientSecret));
}

/**
 * The client whose credentials were given.
 * @throws {OAuthError} `invalid_client`, the same for an unknown client and a wrong secret
 */
export async function authenticateModernClient(
  context: Context,
  readings: readonly Credentials[],
): Promise<AppClient> {
  let Refusal: typeof OAuthError = OAuthError;
  for (const { clientId, clientSecret } of readings) {
    const row = await findModernClient(context.store.durable, clientId);
    if (row && (await isRight(context, row, clientSecret))) return row;
    if (row) Refusal = WrongSecret;
  }
  throw new Refusal('invalid_client', 'The client could not be authenticated.');
}
