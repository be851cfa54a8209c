import { isRested } from './presentations.ts';
import type { Database } from '../driver/store.ts';
import type { Grant } from '../tables/tables.ts';

/** What the take-over of a restored copy does to rows, and the grants that wait for a look since the take-over. */

/** A live grant, with the fields of a history entry. */
export type LiveGrant = Pick<Grant, 'id' | 'client_id' | 'account_id'>;

export async function listLive(db: Database): Promise<LiveGrant[]> {
  return db
    .selectFrom('grants')
    .select(['id', 'client_id', 'account_id'])
    .where('state', '<>', 'dead')
    .orderBy('id')
    .execute();
}

/** Puts live grants in doubt, as if the given claim had just presented their refresh tokens. */
export async function markRestoredInDoubt(
  tx: Database,
  ids: readonly string[],
  doubt: { claimId: string; retryAt: number; now: number },
): Promise<void> {
  await tx
    .updateTable('grants')
    .set((eb) => ({
      state: 'in_doubt',
      presented_at: doubt.now,
      doubt_since: eb.fn.coalesce('doubt_since', eb.val(doubt.now)),
      claim_id: doubt.claimId,
      restored_at: doubt.now,
      retry_at: doubt.retryAt,
      updated_at: doubt.now,
    }))
    .where('id', 'in', ids)
    .where('state', '<>', 'dead')
    .execute();
}

/** Ends all unspent codes. */
export async function voidAllCodes(tx: Database, now: number): Promise<void> {
  await tx.updateTable('legacy_codes').set({ used_at: now }).where('used_at', 'is', null).execute();
}

/**
 * Grants that a take-over put in doubt and whose quiet time is over, in the order in which their rests ended, oldest access
 * token first among equals. One that cannot be asked about goes behind the others after each look.
 */
export async function listRestored(
  db: Database,
  { now, quiet, limit }: { now: number; quiet: number; limit: number },
): Promise<Grant[]> {
  return db
    .selectFrom('grants')
    .selectAll()
    .where('state', '=', 'in_doubt')
    .where('restored_at', 'is not', null)
    .where('access_expires_at', '<=', now)
    .where((eb) => eb.or([eb('presented_at', '<=', now - quiet), eb('presented_at', '>', now)]))
    .where(isRested(now))
    .orderBy('retry_at')
    .orderBy('access_expires_at')
    .limit(limit)
    .execute();
}

/** Actions have no index, so only the newest entries are searched. */
const NEWEST_ENTRIES = 10_000;

/** Whether a grant in doubt recovered at or after the given time. */
export async function hasRecoveredSince(db: Database, time: number): Promise<boolean> {
  const newest = await db
    .selectFrom('events')
    .select((eb) => eb.fn.max('id').as('id'))
    .executeTakeFirst();
  const row = await db
    .selectFrom('events')
    .select('id')
    .where('id', '>', (newest?.id ?? 0) - NEWEST_ENTRIES)
    .where('action', 'in', ['refresh_recovered', 'grant_revived'])
    .where('at', '>=', time)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
