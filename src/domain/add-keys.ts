import { randomBytes } from 'node:crypto';
import { PURPOSES } from '../shared/secrets.ts';
import { addKeyToFile } from '../store/keys-file.ts';
import { listKeys } from '../store/keys.ts';
import type { Context } from './context.ts';

/** The id under which every purpose has a key that was announced and not activated. */
async function waitingId({ store }: Context): Promise<string | undefined> {
  const waiting = (await listKeys(store.durable)).filter(({ state }) => state === 'standby');
  const ids = waiting.map(({ id }) => id);
  return ids.find((id) => ids.filter((one) => one === id).length === PURPOSES.length);
}

/**
 * Adds a key to each purpose of this machine's file. One that waits to be activated is the answer itself, so that a run
 * that was interrupted can be run again.
 */
export async function addKeys(context: Context, file: string): Promise<{ id: string; isNew: boolean }> {
  const waiting = await waitingId(context);
  if (waiting !== undefined) return { id: waiting, isNew: false };
  const id = `k${randomBytes(4).toString('hex')}`;
  addKeyToFile(file, id);
  await context.keyring.turn();
  return { id, isNew: true };
}
