import { createHmac } from 'node:crypto';

/** The digest of a long random secret: a fast digest is enough. The key of the digest is not in the database. */
export type SecretDigester = (secret: string) => string;

/** HMAC-SHA-256 in base64url; `key` is 32 bytes in base64url. */
export function createDigest(key: string): SecretDigester {
  const bytes = Buffer.from(key, 'base64url');
  return (secret) => createHmac('sha256', bytes).update(secret).digest('base64url');
}
