import type { ExpressionBuilder } from 'kysely';
import type { Database } from '../driver/store.ts';
import type { Instance, Tables } from '../tables/tables.ts';

/**
 * The one row that tells a database from its copies (docs/decisions/0010): whether it is the original, an epoch
 * that rises with what must not be forgotten, and the place where it was last the original.
 */

/** Which database a process works with, and the highest epoch of it that it knows of. */
export interface SeenInstance {
  id: string;
  epoch: number;
}

/** The row as it is now. */
export async function readInstance(db: Database): Promise<Instance> {
  return db.selectFrom('instance').select(['id', 'state', 'epoch', 'place']).executeTakeFirstOrThrow();
}

/** That the database is still the original, and not older than it was seen; for the condition of another statement. */
export const isOriginal =
  ({ id, epoch }: SeenInstance) =>
  (eb: ExpressionBuilder<Tables, 'grants'>) =>
    eb.exists(
      eb
        .selectFrom('instance')
        .select('instance.epoch')
        .where('instance.id', '=', id)
        .where('instance.state', '=', 'original')
        .where('instance.epoch', '>=', epoch),
    );

/** Raises the epoch by one, unless the database is a copy or older than it was seen. */
export async function bumpEpoch(db: Database, { id, epoch }: SeenInstance): Promise<void> {
  await db
    .updateTable('instance')
    .set((eb) => ({ epoch: eb('epoch', '+', 1) }))
    .where('id', '=', id)
    .where('state', '=', 'original')
    .where('epoch', '>=', epoch)
    .execute();
}

/** The database is a copy from now on, for every process; only if it still is what was seen. */
export async function markCopy(db: Database, { id, epoch, place }: Instance): Promise<void> {
  await db
    .updateTable('instance')
    .set({ state: 'copy' })
    .where('id', '=', id)
    .where('epoch', '=', epoch)
    .where('place', '=', place)
    .execute();
}

/** Keeps where the database is, if nobody did since `before` was read. */
export async function fillPlace(
  db: Database,
  { before, place }: Record<'before' | 'place', string>,
): Promise<void> {
  await db.updateTable('instance').set({ place }).where('place', '=', before).execute();
}

/** Whether any grant lives. */
export async function hasLiveGrants(db: Database): Promise<boolean> {
  const row = await db
    .selectFrom('grants')
    .select('id')
    .where('state', '<>', 'dead')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Makes a copy the original. */
export async function becomeOriginal(
  tx: Database,
  { epoch, place }: Pick<Instance, 'epoch' | 'place'>,
): Promise<void> {
  await tx.updateTable('instance').set({ state: 'original', epoch, place }).execute();
}
