import { OAuthError } from '../shared/oauth-error.ts';
import { equalDigests } from '../shared/secrets.ts';
import { findSecretDigests } from '../store/apps.ts';
import type { Context } from './context.ts';

/** One reading of the credentials; Basic allows two, decoded and raw (RFC 6749 section 2.3.1). */
export interface Credentials {
  clientId: string;
  clientSecret: string;
}

/** An unknown client costs the same comparison as a wrong secret. */
const NOBODY = ['k0.unknown'];

async function matches(context: Context, { clientId, clientSecret }: Credentials): Promise<boolean> {
  const stored = await findSecretDigests(context.store.durable, clientId);
  const given = context.vault.digests(clientSecret);
  const comparisons = (stored.length > 0 ? stored : NOBODY).flatMap((known) =>
    given.map((digest) => equalDigests(known, digest)),
  );
  return comparisons.includes(true);
}

/**
 * The client id whose secret was given.
 * @throws {OAuthError} `invalid_client`, the same for an unknown client and a wrong secret
 */
export async function authenticateClient(
  context: Context,
  readings: readonly Credentials[],
): Promise<string> {
  for (const credentials of readings) {
    if (await matches(context, credentials)) return credentials.clientId;
  }
  throw new OAuthError('invalid_client', 'The client could not be authenticated.');
}
