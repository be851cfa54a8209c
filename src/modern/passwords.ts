import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

const COST = { log2N: 15, r: 8, p: 1 };
const KEY_BYTES = 32;
// scrypt needs 128 * N * r bytes. For 2^15 the default limit of Node is exactly this number, and is too low.
const MAX_MEMORY = 96 * 1024 * 1024;

interface Derivation {
  password: string;
  salt: Buffer;
  log2N: number;
  r: number;
  p: number;
}

function derive({ password, salt, log2N, r, p }: Derivation): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(
      password.normalize('NFKC'),
      salt,
      KEY_BYTES,
      { N: 2 ** log2N, r, p, maxmem: MAX_MEMORY },
      (error, key) => (error ? reject(error) : resolve(key)),
    );
  });
}

const SALT_BYTES = 16;

const written = (salt: Buffer, key: Buffer) =>
  ['scrypt', COST.log2N, COST.r, COST.p, salt.toString('base64url'), key.toString('base64url')].join('$');

/** `scrypt$log2N$r$p$salt$key`, salt and key in base64url. Each hash has a new salt. Takes about 0.1 s. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return written(salt, await derive({ password, salt, ...COST }));
}

/** A hash that no password matches. The comparison takes as long as with any other hash. */
export const hashOfNothing = (): string => written(randomBytes(SALT_BYTES), randomBytes(KEY_BYTES));

/** Whether `password` belongs to `hash`, which must come from `hashPassword` or `hashOfNothing`. */
export async function passwordMatches(password: string, hash: string): Promise<boolean> {
  const [, log2N, r, p, salt = '', key = ''] = hash.split('$');
  const cost = { log2N: Number(log2N), r: Number(r), p: Number(p) };
  const actual = await derive({ password, salt: Buffer.from(salt, 'base64url'), ...cost });
  return timingSafeEqual(actual, Buffer.from(key, 'base64url'));
}
