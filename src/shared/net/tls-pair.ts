import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';

/** The bridge's own certificate and its key. Both have been proven to fit. */
export interface TlsPair {
  cert: Buffer;
  key: Buffer;
}

export interface TlsFiles {
  certFile: string;
  keyFile: string;
}

const codeOf = (error: unknown) => (error as { code?: string }).code;

function readNamed(setting: string, file: string): Buffer {
  try {
    if (statSync(file).isDirectory()) throw new Error('it is a folder, not a file');
    return readFileSync(file);
  } catch (cause) {
    const reason = codeOf(cause) === 'ENOENT' ? 'there is no such file' : (cause as Error).message;
    throw new Error(`${setting}: ${file} cannot be read: ${reason}`, { cause });
  }
}

function certificateOf(file: string, cert: Buffer): X509Certificate {
  try {
    return new X509Certificate(cert);
  } catch (cause) {
    const form = 'a file that begins with "-----BEGIN CERTIFICATE-----"';
    throw new Error(`TLS_CERT_FILE: ${file} holds no certificate in PEM form (${form})`, { cause });
  }
}

/** The mark of an encrypted key file (RFC 7468 §11, RFC 1421 §4.6.1.1). */
const LOCKED = /ENCRYPTED/;

function keyOf(file: string, key: Buffer): KeyObject {
  if (LOCKED.test(key.toString('latin1')))
    throw new Error(
      `TLS_KEY_FILE: ${file} is protected by a passphrase, and the bridge has no passphrase. Store the key without a passphrase`,
    );
  try {
    return createPrivateKey(key);
  } catch (cause) {
    const form = 'a file that begins with "-----BEGIN PRIVATE KEY-----" or the like';
    throw new Error(`TLS_KEY_FILE: ${file} holds no private key in PEM form (${form})`, { cause });
  }
}

/**
 * Reads the certificate and its key.
 * @throws {Error} in plain words that begin with the setting's name
 */
export function readTlsPair({ certFile, keyFile }: TlsFiles): TlsPair {
  const cert = readNamed('TLS_CERT_FILE', certFile);
  const key = readNamed('TLS_KEY_FILE', keyFile);
  if (!certificateOf(certFile, cert).checkPrivateKey(keyOf(keyFile, key)))
    throw new Error(`TLS_KEY_FILE: ${keyFile} is not the key of the certificate in TLS_CERT_FILE`);
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    throw new Error(`TLS_CERT_FILE, TLS_KEY_FILE: cannot be used: ${(cause as Error).message}`, { cause });
  }
  return { cert, key };
}
