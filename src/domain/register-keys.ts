import { type Key, PURPOSES, proofOf, type Purpose, type Vault } from '../shared/secrets.ts';
import type { HeldKeys } from '../store/keys-file.ts';
import { insertKey } from '../store/keys.ts';
import type { Store } from '../store/store.ts';
import type { KeyState, KnownKey } from '../store/tables.ts';
import { recordEvent } from './record-event.ts';

/**
 * The database's register of keys: it learns each key that a process finds in its file, with a proof, so that no other
 * key can come in under the same id. The first of a purpose is active from then on, a later one waits for `keys activate`.
 */

interface NewKey {
  purpose: Purpose;
  key: Key;
  state: KeyState;
}

/** The keys of a file that the register does not know. */
function findNew(known: readonly KnownKey[], held: HeldKeys): NewKey[] {
  return PURPOSES.flatMap((purpose) => {
    const rows = known.filter((row) => row.purpose === purpose);
    const unknown = held[purpose].filter((key) => !rows.some((row) => row.id === key.id));
    return unknown.map((key, index) => {
      const isFirst = rows.length === 0 && index === 0;
      return { purpose, key, state: isFirst ? 'active' : 'standby' } as const;
    });
  });
}

async function register(store: Store, vault: Vault, { purpose, key, state }: NewKey): Promise<void> {
  const now = await store.now();
  const proof = proofOf(purpose, key);
  await store.transaction(async (tx) => {
    const row = { purpose, id: key.id, state, proof, added_at: now, changed_at: now };
    if (!(await insertKey(tx, row))) return;
    const reason = `${purpose} ${key.id} is ${state}`;
    await recordEvent({ vault }, tx, { at: now, actor: 'bridge', action: 'key_added', reason });
  });
}

/** Makes the register know every key of the file; answers whether one was new. */
export async function registerKeys(
  { store, vault }: { store: Store; vault: Vault },
  known: readonly KnownKey[],
  held: HeldKeys,
): Promise<boolean> {
  const unknown = findNew(known, held);
  for (const key of unknown) await register(store, vault, key);
  return unknown.length > 0;
}
