import { createHmac } from 'node:crypto';

/** Of a secret that is long and random, so that a fast digest is enough; its key is not in the database. */
export type Digest = (secret: string) => string;

/** HMAC-SHA-256 in base64url; `key` is 32 bytes in base64url. */
export function createDigest(key: string): Digest {
  const bytes = Buffer.from(key, 'base64url');
  return (secret) => createHmac('sha256', bytes).update(secret).digest('base64url');
}
