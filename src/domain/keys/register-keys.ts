import { type Key, PURPOSES, proofOf, type KeyPurpose, type Vault } from '../../shared/secrets.ts';
import type { KeysByPurpose } from '../../store/files/keys-file.ts';
import { insertKey, listKeys } from '../../store/keys/keys.ts';
import type { Database, Store } from '../../store/driver/store.ts';
import type { KeyState, KnownKey } from '../../store/tables/tables.ts';
import { recordEvent } from '../history/record-event.ts';

/**
 * The register of keys in the database. It learns each key that a process finds in its file, with a proof, so that no
 * other key can use the same id. The first key of a purpose is active at once. A later key waits for `keys activate`.
 */

interface NewKey {
  purpose: KeyPurpose;
  key: Key;
  state: KeyState;
}

/** The keys of a file that are not in the register. */
function findNew(known: readonly KnownKey[], held: KeysByPurpose): NewKey[] {
  return PURPOSES.flatMap((purpose) => {
    const rows = known.filter((row) => row.purpose === purpose);
    const unknown = held[purpose].filter((key) => !rows.some((row) => row.id === key.id));
    return unknown.map((key, index) => {
      const isFirst = rows.length === 0 && index === 0;
      return { purpose, key, state: isFirst ? 'active' : 'standby' } as const;
    });
  });
}

async function register(
  { tx, vault, now }: { tx: Database; vault: Vault; now: number },
  { purpose, key, state }: NewKey,
): Promise<void> {
  const proof = proofOf(purpose, key);
  if (!(await insertKey(tx, { purpose, id: key.id, state, proof, added_at: now, changed_at: now }))) return;
  const reason = `${purpose} ${key.id} is ${state}`;
  await recordEvent({ vault }, tx, { at: now, actor: 'bridge', action: 'key_added', reason });
}

/**
 * Adds every new key of the file to the register, in one transaction. Otherwise two first starts with different files
 * would leave a register that fits neither file. If another process registered a key after `known` was read, nothing is
 * added, because the new register may contradict this file. Returns whether the caller has to read the register again.
 */
export async function registerKeys(
  { store, vault }: { store: Store; vault: Vault },
  known: readonly KnownKey[],
  held: KeysByPurpose,
): Promise<boolean> {
  const unknown = findNew(known, held);
  if (unknown.length === 0) return false;
  const now = await store.now();
  await store.transaction(async (tx) => {
    if ((await listKeys(tx)).length !== known.length) return;
    for (const key of unknown) await register({ tx, vault, now }, key);
  });
  return true;
}
