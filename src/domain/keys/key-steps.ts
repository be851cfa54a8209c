import { setTimeout as delay } from 'node:timers/promises';
import { SECOND } from '../../shared/lifetimes.ts';
import { Refusal } from '../../shared/refusals/refusal.ts';
import type { KeyPurpose } from '../../shared/secrets.ts';
import { type KeyHolder, HOLDER_LIVES, listHolders } from '../../store/keys/key-holders.ts';
import { listKeys } from '../../store/keys/keys.ts';
import type { Database } from '../../store/driver/store.ts';
import type { KnownKey } from '../../store/tables/tables.ts';
import type { KeysDeps } from './deps.ts';

/**
 * Rotates keys while the bridge serves (docs/decisions/0007): add, copy to every machine, activate, reseal, drop. Each
 * step is one conditional change of the register and may be repeated after any interruption.
 */

/** A key by its id, for the given purposes. */
export interface KeyChoice {
  id: string;
  purposes: readonly KeyPurpose[];
}

/** A step is not possible now. The message says why; nothing was changed. */
export class KeyStepRefused extends Refusal {}

/** Within this time a live process reports its keys, and a dead process is forgotten. */
const PATIENCE = HOLDER_LIVES + 5 * SECOND;

/** Repeats `find` until nothing stands in the way or the time is over. Returns what still stands in the way. */
export async function untilNothing(find: () => Promise<string[]>): Promise<string[]> {
  const until = performance.now() + PATIENCE;
  for (;;) {
    const found = await find();
    if (found.length === 0 || performance.now() > until) return found;
    await delay(SECOND / 4);
  }
}

/** The live processes, as they reported themselves. */
export async function holders({ store }: KeysDeps, db: Database = store.durable): Promise<KeyHolder[]> {
  return listHolders(db, await store.now());
}

/**
 * The keys of the register with this id.
 * @throws {KeyStepRefused} no key has this id
 */
export async function keysOf(context: KeysDeps, { id, purposes }: KeyChoice): Promise<KnownKey[]> {
  const keys = await listKeys(context.store.durable);
  const found = keys.filter((key) => key.id === id && purposes.includes(key.purpose));
  if (found.length === 0) throw new KeyStepRefused(`no key ${id} is known; see "keys list"`);
  return found;
}
