import type { KeyPurpose } from '../../shared/secrets.ts';
import { builtOnce } from '../driver/built-once.ts';
import type { Database } from '../driver/store.ts';
import type { KeyState, KnownKey } from '../tables/tables.ts';

/** The keys this database was ever used with: their ids, states and proofs, never the keys themselves. */

/** Names one key. */
export interface KeyName {
  purpose: KeyPurpose;
  id: string;
}

/** Every key that was ever used or announced, by purpose and age. */
export async function listKeys(db: Database): Promise<KnownKey[]> {
  return db.selectFrom('keys').selectAll().orderBy('purpose').orderBy('added_at').orderBy('id').execute();
}

/** Keeps a new key; false when another process was faster, or another key is active. */
export async function insertKey(tx: Database, key: KnownKey): Promise<boolean> {
  const inserted = await tx
    .insertInto('keys')
    .values(key)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

interface KeyMove {
  from: readonly KeyState[];
  to: KeyState;
  now: number;
}

/** Moves a key to another state, if the key is in a `from` state; returns whether it moved. */
export async function moveKey(tx: Database, { purpose, id }: KeyName, move: KeyMove): Promise<boolean> {
  const result = await tx
    .updateTable('keys')
    .set({ state: move.to, changed_at: move.now })
    .where('purpose', '=', purpose)
    .where('id', '=', id)
    .where('state', 'in', move.from)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Makes the active key of a purpose an old key. An old key still reads and writes no new values. */
export async function retireActive(tx: Database, purpose: KeyPurpose, now: number): Promise<void> {
  await tx
    .updateTable('keys')
    .set({ state: 'old', changed_at: now })
    .where('purpose', '=', purpose)
    .where('state', '=', 'active')
    .execute();
}

const stateOf = builtOnce((db: Database, { purpose, id }: KeyName) =>
  db.selectFrom('keys').select('state').where('purpose', '=', purpose).where('id', '=', id).compile(),
);

/** The state of a key; undefined when this database never knew the key. */
export async function findKeyState(db: Database, name: KeyName): Promise<KeyState | undefined> {
  return (await stateOf(db, name)).rows[0]?.state;
}

/** Whether a key was dropped. No value may be written with a dropped key. */
export async function isDropped(tx: Database, name: KeyName): Promise<boolean> {
  return (await findKeyState(tx, name)) === 'dropped';
}
