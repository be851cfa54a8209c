import type { Purpose } from '../../shared/secrets.ts';
import type { Database } from '../driver/store.ts';
import type { KeyState, KnownKey } from '../tables/tables.ts';

/** Which keys this database was ever used with: their ids, states and proofs, never the keys themselves. */

/** Names one key. */
export interface KeyName {
  purpose: Purpose;
  id: string;
}

/** Every key that was ever used or announced, by purpose and age. */
export async function listKeys(db: Database): Promise<KnownKey[]> {
  return db.selectFrom('keys').selectAll().orderBy('purpose').orderBy('added_at').orderBy('id').execute();
}

/** Keeps a key that was not known; false when another process was faster, or another key is the active one. */
export async function insertKey(tx: Database, key: KnownKey): Promise<boolean> {
  const inserted = await tx
    .insertInto('keys')
    .values(key)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

interface Move {
  from: readonly KeyState[];
  to: KeyState;
  now: number;
}

/** Moves a key to another state, if it is in one of those; answers whether it did. */
export async function moveKey(tx: Database, { purpose, id }: KeyName, move: Move): Promise<boolean> {
  const result = await tx
    .updateTable('keys')
    .set({ state: move.to, changed_at: move.now })
    .where('purpose', '=', purpose)
    .where('id', '=', id)
    .where('state', 'in', move.from)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** The active key of a purpose becomes an old one, which reads and writes nothing new. */
export async function retireActive(tx: Database, purpose: Purpose, now: number): Promise<void> {
  await tx
    .updateTable('keys')
    .set({ state: 'old', changed_at: now })
    .where('purpose', '=', purpose)
    .where('state', '=', 'active')
    .execute();
}

/** The state of a key; undefined of one that this database never knew. */
export async function findKeyState(db: Database, { purpose, id }: KeyName): Promise<KeyState | undefined> {
  const row = await db
    .selectFrom('keys')
    .select('state')
    .where('purpose', '=', purpose)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.state;
}

/** Whether a key was dropped: nothing may be written with it any more. */
export async function isDropped(tx: Database, name: KeyName): Promise<boolean> {
  return (await findKeyState(tx, name)) === 'dropped';
}
