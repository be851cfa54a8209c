import type { Insertable, Selectable } from 'kysely';
import type { ApiTables } from '../tables/api-keys.ts';
import type { StaffRole } from '../tables/page-tables.ts';
import type { Database } from '../driver/store.ts';

/** The keys of programs that act as staff. */

/** The present role of the account that made a key; null where that account is no staff any more. */
interface MakerRole {
  maker_role: StaffRole | null;
}

/** A key as lists show it. */
export type ApiKeyRow = Omit<Selectable<ApiTables['api_keys']>, 'key_digest'> & MakerRole;

const SHOWN = [
  'k.id',
  'k.name',
  'k.role',
  'k.made_at',
  'k.made_by',
  'k.account_id',
  'k.expires_at',
  'k.ended_at',
  'k.ended_by',
  'k.last_used_at',
  's.role as maker_role',
] as const;

const withMaker = (db: Database) =>
  db.selectFrom('api_keys as k').leftJoin('staff as s', 's.account_id', 'k.account_id');

/** Adds a key; false where its id is known. */
export async function insertApiKey(tx: Database, key: Insertable<ApiTables['api_keys']>): Promise<boolean> {
  const result = await tx
    .insertInto('api_keys')
    .values(key)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/** What is asked of a live key at each request. */
export type LiveApiKey = Pick<
  ApiKeyRow,
  'id' | 'name' | 'role' | 'account_id' | 'expires_at' | 'last_used_at' | 'maker_role'
>;

/** The live key with one of these digests, or with this id. */
export async function findLiveApiKey(
  db: Database,
  asked: { digests: readonly string[] } | { id: string },
  now: number,
): Promise<LiveApiKey | undefined> {
  return withMaker(db)
    .select([
      'k.id',
      'k.name',
      'k.role',
      'k.account_id',
      'k.expires_at',
      'k.last_used_at',
      's.role as maker_role',
    ])
    .where((eb) => ('id' in asked ? eb('k.id', '=', asked.id) : eb('k.key_digest', 'in', asked.digests)))
    .where('k.ended_at', 'is', null)
    .where('k.expires_at', '>', now)
    .executeTakeFirst();
}

/** Keeps when a key was last used. */
export async function noteApiKeyUse(db: Database, id: string, now: number): Promise<void> {
  await db.updateTable('api_keys').set({ last_used_at: now }).where('id', '=', id).execute();
}

/** Ends a key that has not ended; undefined for every other id. */
export async function endApiKeyRow(
  tx: Database,
  id: string,
  { now, by }: { now: number; by: string },
): Promise<{ name: string } | undefined> {
  return tx
    .updateTable('api_keys')
    .set({ ended_at: now, ended_by: by })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('name')
    .executeTakeFirst();
}

/** How many keys are live. */
export async function countLiveApiKeys(db: Database, now: number): Promise<number> {
  const row = await db
    .selectFrom('api_keys')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  return row.n;
}

/** The newest keys, ended ones too. */
export async function listApiKeyRows(db: Database, limit: number): Promise<ApiKeyRow[]> {
  return withMaker(db).select(SHOWN).orderBy('k.made_at', 'desc').orderBy('k.id').limit(limit).execute();
}

/** One key, ended or not. */
export async function readApiKeyRow(db: Database, id: string): Promise<ApiKeyRow | undefined> {
  return withMaker(db).select(SHOWN).where('k.id', '=', id).executeTakeFirst();
}
