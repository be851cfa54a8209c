import { KeyMissing, keyIdOf, Unreadable } from '../../shared/secrets.ts';
import { isDropped } from '../../store/keys/keys.ts';
import type { Database } from '../../store/driver/store.ts';
import type { Context } from '../context.ts';

/**
 * Keys change while processes serve. A process that has not looked for a while, because it was paused or its database
 * away, must neither refuse what it cannot read yet, nor write with a key that is gone.
 */

/**
 * Looks something up by digest. What is not found is looked for once more when the keys have changed since, whoever saw
 * that first; only then is it unknown.
 * @throws {KeyMissing} it may stand on a key that this machine lacks
 */
export async function underAllKeys<T>(
  context: Context,
  find: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const { keyring } = context;
  const before = keyring.digestIds();
  const found = await find();
  if (found !== undefined) return found;
  await keyring.refresh();
  return keyring.digestIds() === before ? undefined : find();
}

/** A value was made with a key that was dropped meanwhile; nothing was written. */
export class KeyDropped extends Error {
  override readonly name = 'KeyDropped';
}

/**
 * Whether keys, or a value that none of them opens, stand in the way. Nothing was refused and nothing is lost: the caller
 * is told to come again.
 */
export function isKeyFault(error: unknown): boolean {
  return error instanceof Unreadable || error instanceof KeyMissing || error instanceof KeyDropped;
}

/** The beginning of the log line for a failure: what does not open stays so until somebody acts. */
export function alarmOf(error: unknown): string {
  return error instanceof Unreadable ? 'ALARM: ' : '';
}

/**
 * Runs what seals or digests anew and keeps it; when its key was dropped meanwhile, the keys are looked at and it runs
 * again.
 */
export async function withUsableKeys<T>(context: Context, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof KeyDropped)) throw error;
    await context.keyring.refresh();
    return work();
  }
}

/**
 * In the transaction that keeps a new sealed value or digest: its key is still one that is read with. `keys drop` counts
 * what stands on a key in a transaction too, so that of the two one comes first.
 * @throws {KeyDropped}
 */
export async function requireUsable(
  tx: Database,
  purpose: 'digest' | 'sealing',
  text: string,
): Promise<void> {
  const id = keyIdOf(text);
  if (await isDropped(tx, { purpose, id })) throw new KeyDropped(`the ${purpose} key ${id} was dropped`);
}
