import { OAuthError } from '../../shared/refusals/oauth-error.ts';
import { equalDigests, keyIdOf } from '../../shared/secrets.ts';
import { findSecrets, moveSecretDigest } from '../../store/apps/apps.ts';
import type { Database } from '../../store/driver/store.ts';
import type { AppsDeps } from './deps.ts';
import { requireUsableKey, underAllKeys } from '../keys/retry-after-key-rotation.ts';

/** One reading of the credentials. Basic allows two readings, decoded and raw (RFC 6749 §2.3.1). */
export interface Credentials {
  clientId: string;
  clientSecret: string;
}

/** An unknown client costs the same comparison as a wrong secret. */
const NOBODY = [{ id: '', digest: 'k0.unknown' }];

const unauthenticated = ['invalid_client', 'The client could not be authenticated.'] as const;

/**
 * A wrong secret of a known client. Only the limits and the log tell a wrong secret from an unknown client; the answer is
 * the same.
 */
export class WrongSecret extends OAuthError {
  /** The app of the client. */
  readonly clientId: string;
  constructor(clientId: string) {
    super(...unauthenticated, { detail: 'wrong secret' });
    this.clientId = clientId;
  }
}

/** The client of a retired app. The answer, the limits and the time it takes are those of an unknown client; the log tells. */
export class RetiredClient extends OAuthError {
  /** The app of the client. */
  readonly clientId: string;
  constructor(clientId: string) {
    super(...unauthenticated, { detail: 'the app is retired' });
    this.clientId = clientId;
  }
}

type StoredSecret = (typeof NOBODY)[number];

/** The stored secret that equals the given secret. Every digest is compared, also after a match. */
function matching(
  context: AppsDeps,
  stored: readonly StoredSecret[],
  clientSecret: string,
): StoredSecret | undefined {
  const given = context.vault.digests(clientSecret);
  const matches = stored.filter(({ digest }) => given.map((one) => equalDigests(digest, one)).includes(true));
  return matches[0];
}

/**
 * The digest of a secret moves to the active key when the secret is first seen, as the digest of a token does
 * (resolve-token.ts).
 */
async function moveToActiveKey(context: AppsDeps, secret: StoredSecret, clientSecret: string): Promise<void> {
  if (keyIdOf(secret.digest) === context.keyring.activeId('digest')) return;
  const to = context.vault.digest(clientSecret);
  const move = async (tx: Database) => {
    await requireUsableKey(tx, 'digest', to);
    await moveSecretDigest(tx, { id: secret.id, from: secret.digest, to });
  };
  await context.store.transaction(move).catch((error: unknown) => {
    context.logger.warn('the digest of an app secret could not be renewed with the active key', { error });
  });
}

async function compare(
  context: AppsDeps,
  { clientId, clientSecret }: Credentials,
): Promise<{ isKnown: boolean; isRetired: boolean; isRight: boolean }> {
  let isKnown = false;
  let isRetired = false;
  const find = async () => {
    // Read again each time: the digest may have moved to a key that this process has just learned.
    const stored = await findSecrets(context.store, clientId);
    isRetired = stored.some((secret) => secret.app_retired_at !== null);
    isKnown = stored.length > 0 && !isRetired;
    return matching(context, isKnown ? stored : NOBODY, clientSecret);
  };
  const secret = await underAllKeys(context, find);
  if (secret) await moveToActiveKey(context, secret, clientSecret);
  return { isKnown, isRetired, isRight: secret !== undefined };
}

/**
 * Returns the client id whose secret was given.
 * @throws {OAuthError} `invalid_client`, the same for an unknown client, that of a retired app and a wrong secret
 */
export async function authenticateClient(
  context: AppsDeps,
  readings: readonly Credentials[],
): Promise<string> {
  let known: string | undefined;
  let retired: string | undefined;
  for (const credentials of readings) {
    const { isKnown, isRetired, isRight } = await compare(context, credentials);
    if (isRight) return credentials.clientId;
    if (isKnown) known = credentials.clientId;
    if (isRetired) retired = credentials.clientId;
  }
  if (known !== undefined) throw new WrongSecret(known);
  if (retired !== undefined) throw new RetiredClient(retired);
  throw new OAuthError(...unauthenticated, { detail: 'unknown client' });
}
