import type { ExpressionBuilder, RawBuilder } from 'kysely';
import { madeOnce } from '../../shared/memory/made-once.ts';
import { builtOnce } from '../driver/built-once.ts';
import type { Database } from '../driver/store.ts';
import type { Instance, Tables } from '../tables/tables.ts';

/**
 * The one row that distinguishes a database from its copies (docs/decisions/0010): whether the database is the
 * original, an epoch that rises with each change that must not be forgotten, and the place where the database was last
 * the original.
 */

/** The database that a process works with, and the highest epoch that the process has seen. */
export interface SeenInstance {
  id: string;
  epoch: number;
}

/** The row as it is now. */
export async function readInstance(db: Database): Promise<Instance> {
  return db.selectFrom('instance').select(['id', 'state', 'epoch', 'place']).executeTakeFirstOrThrow();
}

const reading = (here: RawBuilder<string>) =>
  builtOnce((db: Database) =>
    db.selectFrom('instance').select(['id', 'state', 'epoch', 'place']).select(here.as('here')).compile(),
  );

/** A statement for each way to ask for the place: a store has one or two. */
const readings = new WeakMap<RawBuilder<string>, ReturnType<typeof reading>>();

/** The row and the place of the database that this connection leads to (`Store.placeExpression`), in one statement. */
export async function readInstanceHere(
  db: Database,
  here: RawBuilder<string>,
): Promise<{ row: Instance; place: string }> {
  const [found] = (await madeOnce(readings, here, () => reading(here))(db, {})).rows;
  if (!found) throw new Error('the row of the instance is missing');
  const { id, state, epoch, place, here: present } = found;
  return { row: { id, state, epoch, place }, place: present };
}

/** A condition for another statement: the database is still the original, and not older than it was seen. */
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

/** Raises the epoch by one, unless the database is a copy or is older than it was seen. */
export async function bumpEpoch(db: Database, { id, epoch }: SeenInstance): Promise<void> {
  await db
    .updateTable('instance')
    .set((eb) => ({ epoch: eb('epoch', '+', 1) }))
    .where('id', '=', id)
    .where('state', '=', 'original')
    .where('epoch', '>=', epoch)
    .execute();
}

/** Marks the database as a copy, for every process, if the row is still as it was read. */
export async function markCopy(db: Database, { id, epoch, place }: Instance): Promise<void> {
  await db
    .updateTable('instance')
    .set({ state: 'copy' })
    .where('id', '=', id)
    .where('epoch', '=', epoch)
    .where('place', '=', place)
    .execute();
}

/** Keeps the place of the database, if the place is still the `before` that was read. */
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
