import { randomBytes } from 'node:crypto';
import { PURPOSES } from '../../shared/secrets.ts';
import { addKeyToFile, loadKeys } from '../../store/files/keys-file.ts';
import { listKeys } from '../../store/keys/keys.ts';
import type { Context } from '../context.ts';
import { KeyStepRefused } from './key-steps.ts';

/** The id under which every purpose has a key that was announced and not activated. */
async function waitingId({ store }: Context): Promise<string | undefined> {
  const waiting = (await listKeys(store.durable)).filter(({ state }) => state === 'standby');
  const ids = waiting.map(({ id }) => id);
  return ids.find((id) => ids.filter((one) => one === id).length === PURPOSES.length);
}

/**
 * Adds a key to each purpose of this machine's file. One that waits to be activated is the answer itself, so that a run
 * that was interrupted can be run again.
 * @throws {KeyStepRefused} one waits that this machine's file does not hold: that file is not the one to copy
 */
export async function addKeys(context: Context, file: string): Promise<{ id: string; isNew: boolean }> {
  const waiting = await waitingId(context);
  if (waiting !== undefined) {
    const held = loadKeys(file);
    if (PURPOSES.some((purpose) => !held[purpose].some(({ id }) => id === waiting)))
      throw new KeyStepRefused(
        `key ${waiting} waits already and is not in ${file}: copy the file from the machine that added it, or drop it`,
      );
    return { id: waiting, isNew: false };
  }
  const id = `k${randomBytes(4).toString('hex')}`;
  addKeyToFile(file, id);
  await context.keyring.turn();
  return { id, isNew: true };
}
