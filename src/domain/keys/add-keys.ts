import { randomBytes } from 'node:crypto';
import { PURPOSES } from '../../shared/secrets.ts';
import { addKeyToFile, loadKeys } from '../../store/files/keys-file.ts';
import { listKeys } from '../../store/keys/keys.ts';
import type { KeysDeps } from './deps.ts';
import { KeyStepRefused } from './key-steps.ts';

/** The id of a waiting key: each purpose has it in state `standby`, announced and not activated. */
async function waitingId({ store }: KeysDeps): Promise<string | undefined> {
  const waiting = (await listKeys(store.durable)).filter(({ state }) => state === 'standby');
  const ids = waiting.map(({ id }) => id);
  return ids.find((id) => ids.filter((one) => one === id).length === PURPOSES.length);
}

/**
 * Adds a key for each purpose to this machine's file. If a key already waits to be activated, this key is returned, so
 * that an interrupted run can be repeated.
 * @throws {KeyStepRefused} the waiting key is not in this machine's file, so this is not the file to copy
 */
export async function addKeys(context: KeysDeps, file: string): Promise<{ id: string; isNew: boolean }> {
  const waiting = await waitingId(context);
  if (waiting !== undefined) {
    const held = loadKeys(file);
    if (PURPOSES.some((purpose) => !held[purpose].some(({ id }) => id === waiting)))
      throw new KeyStepRefused(
        `key ${waiting} waits already and is not in ${file}: copy the file from the machine that added the key, or drop the key`,
      );
    return { id: waiting, isNew: false };
  }
  const id = `k${randomBytes(4).toString('hex')}`;
  addKeyToFile(file, id);
  await context.keyring.turn();
  return { id, isNew: true };
}
