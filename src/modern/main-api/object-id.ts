import { randomBytes } from 'node:crypto';

/** A new id like a Mongo id: the current second, then random bytes; 24 hexadecimal characters [recorded]. */
export function newObjectId(now: number = Date.now()): string {
  const seconds = Math.floor(now / 1000);
  return seconds.toString(16).padStart(8, '0') + randomBytes(8).toString('hex');
}
