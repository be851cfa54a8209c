import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** A 32-byte key with the id that every digest and sealed value made with it carries. */
export interface Key {
  id: string;
  secret: Buffer;
}

/** All keys of one purpose; the active one makes new values, every one reads old values. */
export interface KeyRing {
  active: Key;
  all: readonly Key[];
}

/** One ring per purpose; purposes never share a key (design 8, KEYS_FILE). */
export interface Keys {
  digest: KeyRing;
  sealing: KeyRing;
  session: KeyRing;
  history: KeyRing;
}

/**
 * Secrets at rest (design 5): `digest` for values that are only looked up, `seal`/`open` for values that must be sent
 * again. A sealed value is bound to its row and column by `place` and opens nowhere else.
 */
export interface Vault {
  digest(value: string): string;
  /** The digests under every key, the active one first, to find a value stored before a rotation. */
  digests(value: string): string[];
  seal(place: string, value: string): string;
  open(place: string, sealed: string): string;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** `HMAC-SHA-256(key, SHA-256(value))`, so that a value known only by its SHA-256 can be imported. */
function keyedDigest(key: Key, value: string): string {
  const inner = createHash('sha256').update(value, 'utf8').digest();
  return `${key.id}.${createHmac('sha256', key.secret).update(inner).digest('base64url')}`;
}

function seal(key: Key, place: string, value: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key.secret, iv).setAAD(Buffer.from(`${key.id}|${place}`));
  const sealed = Buffer.concat([iv, cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${key.id}.${sealed.toString('base64url')}`;
}

function open(ring: KeyRing, place: string, text: string): string {
  const [id, body = ''] = text.split('.', 2);
  const key = ring.all.find((candidate) => candidate.id === id);
  if (!key) throw new Error(`sealed with a key that is not in the key file: ${place}`);
  const sealed = Buffer.from(body, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key.secret, sealed.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(`${key.id}|${place}`)).setAuthTag(sealed.subarray(-TAG_BYTES));
  const clear = Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
  return clear.toString('utf8');
}

/** The vault over a set of keys. `open` throws when a value was moved, cut or changed. */
export function createVault(keys: Pick<Keys, 'digest' | 'sealing'>): Vault {
  const { digest, sealing } = keys;
  const ordered = [digest.active, ...digest.all.filter((key) => key.id !== digest.active.id)];
  return {
    digest: (value) => keyedDigest(digest.active, value),
    digests: (value) => ordered.map((key) => keyedDigest(key, value)),
    seal: (place, value) => seal(sealing.active, place, value),
    open: (place, sealed) => open(sealing, place, sealed),
  };
}

/** Equality of two digests without a timing path; unequal lengths are unequal. */
export function equalDigests(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
