import { type Key, PURPOSES, proofOf, type Purpose, type Vault } from '../../shared/secrets.ts';
import type { HeldKeys } from '../../store/files/keys-file.ts';
import { insertKey, listKeys } from '../../store/keys/keys.ts';
import type { Database, Store } from '../../store/driver/store.ts';
import type { KeyState, KnownKey } from '../../store/tables/tables.ts';
import { recordEvent } from '../history/record-event.ts';

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
 * Makes the register know every key of the file, all in one step: two first starts with different files would else leave
 * a register that fits neither. When another process registered something since `known` was read, nothing is done, for
 * that may speak against this file. Answers whether the register is to be read again.
 */
export async function registerKeys(
  { store, vault }: { store: Store; vault: Vault },
  known: readonly KnownKey[],
  held: HeldKeys,
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
