import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { JsonWebKey } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createPrivateFile } from '../../../shared/private-file.ts';

export interface SecretKeys {
  /** Sign the cookies of the authorization server. */
  cookieKeys: string[];
  /** Published at /jwks. The key signs nothing today, because there is no `openid` scope. */
  jwks: { keys: JsonWebKey[] };
  /**
   * 32 bytes, base64url. The store keeps client secrets and API keys as HMAC-SHA-256 under this key. The hidden fields
   * that bind a form to its session use the same key, with a prefix with which no secret begins.
   */
  digestKey: string;
  /** 32 bytes, base64url. Key of AES-256-GCM for the few payloads that repeat a secret. */
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

/**
 * Loads the keys beside the database (mode 0600), or makes the keys at the first start. The file is written whole or
 * not at all.
 */
export function loadSecretKeys(databaseFile: string): SecretKeys {
  if (databaseFile === ':memory:') return generate();
  const file = `${databaseFile}.keys.json`;
  const existing = read(file);
  if (existing) return existing;
  const keys = generate();
  createPrivateFile(file, JSON.stringify(keys, null, 2));
  return keys;
}
