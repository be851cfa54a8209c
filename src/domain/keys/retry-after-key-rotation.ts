import { KeyMissing, keyIdOf, Unreadable } from '../../shared/secrets.ts';
import { isDropped } from '../../store/keys/keys.ts';
import type { Database } from '../../store/driver/store.ts';
import type { KeysDeps } from './deps.ts';

/**
 * Keys change while processes serve. A process may not have looked for a while, because it was paused or its database
 * was away. Such a process must not refuse values that it cannot read yet, and must not write with a dropped key.
 */

/**
 * Looks up a value by its digest. If the value is not found and the digest keys have changed since the start, looks
 * once more. Only then is the value unknown. The change counts even if another call noticed it first.
 * @throws {KeyMissing} the digest may have been made with a key that this machine lacks
 */
export async function underAllKeys<T>(
  context: KeysDeps,
  find: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const { keyring } = context;
  const before = keyring.digestIds();
  const found = await find();
  if (found !== undefined) return found;
  await keyring.refresh();
  return keyring.digestIds() === before ? undefined : find();
}

/** A value was made with a key that has been dropped meanwhile. Nothing was written. */
export class KeyDropped extends Error {
  override readonly name = 'KeyDropped';
}

/**
 * Whether the error comes from keys, or from a value that no key opens. Nothing was refused and nothing is lost. The
 * caller should come again.
 */
export function isKeyFault(error: unknown): boolean {
  return error instanceof Unreadable || error instanceof KeyMissing || error instanceof KeyDropped;
}

/** The beginning of the log line for a failure. A value that does not open needs a person, so the line is an ALARM. */
export function alarmOf(error: unknown): string {
  return error instanceof Unreadable ? 'ALARM: ' : '';
}

/**
 * Runs work that seals or digests a value and stores it. If the key has been dropped meanwhile, the keys are read again
 * and the work is repeated.
 */
export async function withUsableKeys<T>(context: KeysDeps, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof KeyDropped)) throw error;
    await context.keyring.refresh();
    return work();
  }
}

/**
 * Checks that the key of a new sealed value or digest has not been dropped, in the transaction that stores the value.
 * `keys drop` also counts the values of a key in a transaction, so one of the two transactions comes first.
 * @throws {KeyDropped}
 */
export async function requireUsableKey(
  tx: Database,
  purpose: 'digest' | 'sealing',
  text: string,
): Promise<void> {
  const id = keyIdOf(text);
  if (await isDropped(tx, { purpose, id })) throw new KeyDropped(`the ${purpose} key ${id} was dropped`);
}
