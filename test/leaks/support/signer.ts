import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { type RawAnswer, sendRaw } from '../../support/callers/raw-request.ts';

/** A secret-scanning service: its keys as the setting names them, and reports as it signs them. */

export interface Signer {
  keyId: string;
  privateKey: KeyObject;
  pem: string;
}

export function newSigner(keyId: string): Signer {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return { keyId, privateKey, pem: publicKey.export({ type: 'spki', format: 'pem' }).toString() };
}

/** LEAK_REPORT_KEYS for these services. */
export const keysOf = (...signers: Signer[]): string =>
  JSON.stringify({
    public_keys: signers.map(({ keyId, pem }) => ({ key_identifier: keyId, key: pem, is_current: true })),
  });

export interface Finding {
  token: string;
  type?: string;
  url?: string;
  source?: string;
}

const PLACE = { type: 'old_token', url: 'https://code.example/repo/config.txt', source: 'content' };

export const bodyOf = (findings: readonly Finding[]): string =>
  JSON.stringify(findings.map((one) => ({ ...PLACE, ...one })));

/** The headers of a service for a body. */
export function signed({ keyId, privateKey }: Signer, body: string | Buffer): Record<string, string> {
  return {
    'content-type': 'application/json',
    'github-public-key-identifier': keyId,
    'github-public-key-signature': sign('sha256', Buffer.from(body), privateKey).toString('base64'),
  };
}

export interface Reported {
  bridgeUrl: string;
}

export const postLeaks = (
  { bridgeUrl }: Reported,
  headers: Record<string, string>,
  body: string | Buffer,
): Promise<RawAnswer> => sendRaw(bridgeUrl, { method: 'POST', path: '/leaks', headers, body });

/** A report with a right signature. */
export async function reportTo(
  bridge: Reported,
  signer: Signer,
  findings: readonly Finding[],
): Promise<RawAnswer> {
  const body = bodyOf(findings);
  return postLeaks(bridge, signed(signer, body), body);
}
