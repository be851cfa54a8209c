import { createCipheriv, createDecipheriv, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { madeOnce } from './memory/made-once.ts';

/** Purposes never share a key (docs/decisions/0007). */
export const PURPOSES = ['digest', 'sealing', 'session', 'history'] as const;
export type KeyPurpose = (typeof PURPOSES)[number];

/** A 32-byte key with its id. Every digest and sealed value carries the id of its key. */
export interface Key {
  id: string;
  secret: Buffer;
}

/** All keys of one purpose. The active key makes new values; every key reads old values. */
export interface KeyRing {
  active: Key;
  all: readonly Key[];
}

/** One ring per purpose. */
export type KeyRings = Record<KeyPurpose, KeyRing>;

/** A sealed value that was moved, cut or changed, or whose key is missing. The value itself stays unchanged. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/** The value in question may depend on a key that this machine lacks. */
export class KeyMissing extends Error {
  override readonly name = 'KeyMissing';
}

/**
 * Secrets at rest (docs/decisions/0007): `digest` for values that are only looked up, `seal`/`open` for values that
 * must be sent again. `place` binds a sealed value to its row and column; the value opens nowhere else.
 */
export interface Vault {
  digest(value: string): string;
  /** The digests under every key, the active key first, to find a value stored before a rotation. */
  digests(value: string): string[];
  /** Like `digest`, from the SHA-256 of the value (32 bytes) instead of the value (docs/decisions/0007). */
  digestOf(sha256: Buffer): string;
  /** Like `digests`, from the SHA-256 of the value. */
  digestsOf(sha256: Buffer): string[];
  seal(place: string, value: string): string;
  /** @throws {Unreadable} */
  open(place: string, sealed: string): string;
  /** Whether the vault has the key that a sealed value names. The value itself may be invalid. */
  holdsKeyOf(sealed: string): boolean;
  /** Proves later that a holder of the history key wrote a text of the history. */
  witness(text: string): string;
  isWitness(text: string, witness: string): boolean;
  /** Whether the key that a witness names is among the keys. */
  holdsKeyOfWitness(witness: string): boolean;
  /** The current keys for the hidden fields of forms. */
  session(): KeyRing;
}

/** The id of the key that made a digest, a sealed value or a witness. */
export function keyIdOf(text: string): string {
  return text.slice(0, Math.max(text.indexOf('.'), 0));
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The SHA-256 of a secret: an import keeps only this on the way to the database. */
export function sha256Of(value: string): Buffer {
  return hash('sha256', value, 'buffer');
}

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;

/** The key in both forms that HMAC hashes before a message (RFC 2104 §2), with room for the message behind each. */
interface HmacBlocks {
  inner: Buffer;
  outer: Buffer;
}

function blocksOf({ secret }: Key): HmacBlocks {
  const block = (byte: number) =>
    Buffer.concat([secret], BLOCK_BYTES + DIGEST_BYTES).map((part, at) =>
      at < BLOCK_BYTES ? part ^ byte : 0,
    );
  return { inner: Buffer.from(block(0x36)), outer: Buffer.from(block(0x5c)) };
}

const blocks = new WeakMap<Key, HmacBlocks>();

function hashBehind(block: Buffer, message: string, encoding: 'binary' | 'base64url'): string {
  block.write(message, BLOCK_BYTES, 'binary');
  return hash('sha256', block, encoding);
}

/**
 * `HMAC-SHA-256(key, SHA-256(value))`, so that a value known only by its SHA-256 can be imported. Every old call needs
 * one, and `createHmac` takes three times as long. `sha256` is 32 bytes, each as one
 * character.
 */
function keyedDigestOf(key: Key, sha256: string): string {
  const { inner, outer } = madeOnce(blocks, key, () => blocksOf(key));
  return `${key.id}.${hashBehind(outer, hashBehind(inner, sha256, 'binary'), 'base64url')}`;
}

function keyedDigest(key: Key, value: string): string {
  return keyedDigestOf(key, hash('sha256', value, 'binary'));
}

function digestsUnder({ active, all }: KeyRing, sha256: string): string[] {
  if (all.length === 1) return [keyedDigestOf(active, sha256)];
  const ordered = [active, ...all.filter((key) => key.id !== active.id)];
  return ordered.map((key) => keyedDigestOf(key, sha256));
}

function seal(key: Key, place: string, value: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key.secret, iv).setAAD(Buffer.from(`${key.id}|${place}`));
  const sealed = Buffer.concat([iv, cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${key.id}.${sealed.toString('base64url')}`;
}

/** Any text may precede the first point, so a text that cannot be a key id is not repeated. */
function nameOfKey(text: string): string {
  const id = keyIdOf(text);
  return /^[a-z0-9]{1,16}$/.test(id) ? `key ${id}, which is not in KEYS_FILE` : 'a key whose id is not valid';
}

function keyOf(ring: KeyRing, text: string): Key | undefined {
  const id = keyIdOf(text);
  return ring.all.find((candidate) => candidate.id === id);
}

function open(ring: KeyRing, place: string, text: string): string {
  const key = keyOf(ring, text);
  if (!key) throw new Unreadable(`${place} is sealed with ${nameOfKey(text)}`);
  const sealed = Buffer.from(text.slice(key.id.length + 1), 'base64url');
  try {
    const decipher = createDecipheriv('aes-256-gcm', key.secret, sealed.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(`${key.id}|${place}`)).setAuthTag(sealed.subarray(-TAG_BYTES));
    const clear = Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
    return clear.toString('utf8');
  } catch (cause) {
    throw new Unreadable(`${place} does not open: it was moved, cut or changed`, { cause });
  }
}

/** `HMAC-SHA-256(key, text)`, by two one-shot hashes for the same reason as above. */
function witnessOf(key: Key, text: string): string {
  const { inner, outer } = madeOnce(blocks, key, () => blocksOf(key));
  const message = Buffer.allocUnsafe(BLOCK_BYTES + Buffer.byteLength(text));
  inner.copy(message, 0, 0, BLOCK_BYTES);
  message.write(text, BLOCK_BYTES, 'utf8');
  return `${key.id}.${hashBehind(outer, hash('sha256', message, 'binary'), 'base64url')}`;
}

/** A vault that reads the keys anew at each call. */
export function createVault(keys: () => KeyRings): Vault {
  return {
    digest: (value) => keyedDigest(keys().digest.active, value),
    digests: (value) => digestsUnder(keys().digest, hash('sha256', value, 'binary')),
    digestOf: (sha256) => keyedDigestOf(keys().digest.active, sha256.toString('binary')),
    digestsOf: (sha256) => digestsUnder(keys().digest, sha256.toString('binary')),
    seal: (place, value) => seal(keys().sealing.active, place, value),
    open: (place, sealed) => open(keys().sealing, place, sealed),
    holdsKeyOf: (sealed) => keyOf(keys().sealing, sealed) !== undefined,
    witness: (text) => witnessOf(keys().history.active, text),
    isWitness(text, witness) {
      const key = keyOf(keys().history, witness);
      return key !== undefined && equalDigests(witnessOf(key, text), witness);
    },
    holdsKeyOfWitness: (witness) => keyOf(keys().history, witness) !== undefined,
    session: () => keys().session,
  };
}

const KNOWN_TEXT = 'grantbridge';

function proofPlace(purpose: KeyPurpose): string {
  return `key_proofs|${purpose}`;
}

/** A text that can later prove, without the key, that a key is the same key. */
export function proofOf(purpose: KeyPurpose, key: Key): string {
  return purpose === 'sealing' ? seal(key, proofPlace(purpose), KNOWN_TEXT) : keyedDigest(key, KNOWN_TEXT);
}

/** Whether a proof was made with this key. */
export function isProofOf(purpose: KeyPurpose, key: Key, proof: string): boolean {
  if (purpose !== 'sealing') return equalDigests(keyedDigest(key, KNOWN_TEXT), proof);
  try {
    return open({ active: key, all: [key] }, proofPlace(purpose), proof) === KNOWN_TEXT;
  } catch {
    return false;
  }
}

/** Compares two digests in constant time; unequal lengths are unequal. */
export function equalDigests(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
