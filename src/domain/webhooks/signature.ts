import { createHmac, randomBytes } from 'node:crypto';

/**
 * Signs messages as the Standard Webhooks specification says: HMAC-SHA-256 over id, time and body, in Base64. A receiver
 * checks with any library for that specification.
 */

const PREFIX = 'whsec_';

/** A new secret of 256 bits, in the form that the libraries read. */
export function newSigningSecret(): string {
  return PREFIX + randomBytes(32).toString('base64');
}

interface SignedMessage {
  /** The id of the message, the same at every attempt. */
  id: string;
  /** The moment of this attempt, in Unix milliseconds. */
  now: number;
  body: string;
}

function signatureWith(secret: string, text: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(text, 'utf8').digest('base64')}`;
}

/** The headers of one attempt, with a signature for each secret. */
export function signedHeaders(
  { id, now, body }: SignedMessage,
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const text = `${id}.${timestamp}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => signatureWith(secret, text)).join(' '),
  };
}
