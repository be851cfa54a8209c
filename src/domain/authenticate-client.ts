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

/** Told apart from an unknown client by the limits alone; the answer is the same. */
export class WrongSecret extends OAuthError {}

async function compare(
  context: Context,
  { clientId, clientSecret }: Credentials,
): Promise<{ isKnown: boolean; isRight: boolean }> {
  const stored = await findSecretDigests(context.store.durable, clientId);
  const given = context.vault.digests(clientSecret);
  const comparisons = (stored.length > 0 ? stored : NOBODY).flatMap((known) =>
    given.map((digest) => equalDigests(known, digest)),
  );
  return { isKnown: stored.length > 0, isRight: comparisons.includes(true) };
}

/**
 * The client id whose secret was given.
 * @throws {OAuthError} `invalid_client`, the same for an unknown client and a wrong secret
 */
export async function authenticateClient(
  context: Context,
  readings: readonly Credentials[],
): Promise<string> {
  let Refusal: typeof OAuthError = OAuthError;
  for (const credentials of readings) {
    const { isKnown, isRight } = await compare(context, credentials);
    if (isRight) return credentials.clientId;
    if (isKnown) Refusal = WrongSecret;
  }
  throw new Refusal('invalid_client', 'The client could not be authenticated.');
}
