import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { JsonWebKey } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createPrivateFile } from '../../../shared/private-file.ts';

export interface SecretKeys {
  /** Sign the cookies of the authorization server. */
  cookieKeys: string[];
  /** Published at /jwks; nothing is signed with it today, because there is no `openid` scope. */
  jwks: { keys: JsonWebKey[] };
  /**
   * 32 bytes, base64url: client secrets and API keys are kept as HMAC-SHA-256 under it; so are, under words that no secret
   * begins with, the hidden fields that bind a form to its session.
   */
  digestKey: string;
  /** 32 bytes, base64url: AES-256-GCM of the few payloads that repeat a secret. */
  sealingKey: string;
}

const randomKey = () => randomBytes(32).toString('base64url');

function generate(): SecretKeys {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signingKey = { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' };
  return {
    cookieKeys: [randomKey()],
    jwks: { keys: [signingKey] },
    digestKey: randomKey(),
    sealingKey: randomKey(),
  };
}

function read(file: string): SecretKeys | undefined {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/** The keys beside the database (mode 0600), made at the first start. Written whole or not at all. */
export function loadSecretKeys(databaseFile: string): SecretKeys {
  if (databaseFile === ':memory:') return generate();
  const file = `${databaseFile}.keys.json`;
  const existing = read(file);
  if (existing) return existing;
  const keys = generate();
  createPrivateFile(file, JSON.stringify(keys, null, 2));
  return keys;
}
