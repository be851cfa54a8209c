import { isOneOf } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';
import type { Mapping } from '../tables/tables.ts';

/** Where tokens stand: everything of their rows that an action can change, read and restored as a whole. */

const COLUMNS = [
  'client_id',
  'account_id',
  'account_email',
  'legacy_account_id',
  'state',
  'reason',
  'grant_id',
  'app_proven',
  'updated_at',
] as const;

export type TokenPlace = Pick<Mapping, (typeof COLUMNS)[number]>;

/** Where these tokens stand, by their ids. */
export async function readTokenPlaces(
  db: Database,
  ids: readonly string[],
): Promise<Map<string, TokenPlace>> {
  const rows = await db
    .selectFrom('mappings')
    .select(['id', ...COLUMNS])
    .where(isOneOf(db, 'id', ids))
    .execute();
  return new Map(rows.map(({ id, ...place }) => [id, place]));
}

/** Where a token stands. */
export async function readTokenPlace(db: Database, id: string): Promise<TokenPlace | undefined> {
  return (await readTokenPlaces(db, [id])).get(id);
}

/**
 * Puts a token back where it was, if it stands where it was left, to the millisecond of its last change. Another change
 * in between is never overwritten, whatever it was.
 */
export async function restoreTokenPlace(
  tx: Database,
  id: string,
  { left, was }: { left: TokenPlace; was: TokenPlace },
): Promise<boolean> {
  const restored = await tx
    .updateTable('mappings')
    .set(was)
    .where('id', '=', id)
    .where((eb) => eb.and(COLUMNS.map((column) => eb(column, 'is not distinct from', left[column]))))
    .executeTakeFirst();
  return restored.numUpdatedRows === 1n;
}

/** Whether another working token stands on a grant. */
export async function hasOthersOn(db: Database, grantId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('mappings')
    .select('id')
    .where('grant_id', '=', grantId)
    .where('state', '=', 'active')
    .where('id', '<>', id)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
