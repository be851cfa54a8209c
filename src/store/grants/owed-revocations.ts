import { sql } from 'kysely';
import type { Database } from '../driver/store.ts';
import type { OwedRevocation } from '../tables/tables.ts';

/** Keeps a sealed refresh token whose revocation the new API has yet to hear. */
export async function insertOwed(
  tx: Database,
  owed: { id: string; grant_id: string; token_sealed: string; next_at: number; created_at: number },
): Promise<void> {
  await tx.insertInto('owed_revocations').values(owed).execute();
}

/** So many new ones are read at once, and as many that failed before. */
const AT_ONCE = 100;

/**
 * The due revocations, the longest due first: new ones, and then those that failed before. One that can never be sent
 * goes behind the others that failed, and keeps no new one waiting, however many there are.
 */
export async function listDueOwed(db: Database, now: number): Promise<OwedRevocation[]> {
  const due = db
    .selectFrom('owed_revocations')
    .selectAll()
    .where('next_at', '<=', now)
    .orderBy('next_at')
    .limit(AT_ONCE);
  // SQLite uses a partial index only for its own condition, so the values stand in the text.
  const untried = await due.where('attempts', '=', sql.lit(0)).execute();
  return [...untried, ...(await due.where('attempts', '>', sql.lit(0)).execute())];
}

/** The new API has revoked the token, so no revocation is owed any more. */
export async function deleteOwed(db: Database, id: string): Promise<void> {
  await db.deleteFrom('owed_revocations').where('id', '=', id).execute();
}

/** Postpones the next attempt. */
export async function postponeOwed(db: Database, id: string, nextAt: number): Promise<void> {
  await db
    .updateTable('owed_revocations')
    .set((eb) => ({ next_at: nextAt, attempts: eb('attempts', '+', 1) }))
    .where('id', '=', id)
    .execute();
}

/**
 * How many revocations wait for the new API, counted up to `limit`, and since when the oldest of those waits: one that
 * nobody tried since it was due, and one that failed since it is owed. Leaves out those that are not due yet.
 */
export async function readOwed(
  db: Database,
  { now, limit }: { now: number; limit: number },
): Promise<{ count: number; oldest: number | null }> {
  const some = db.selectFrom('owed_revocations').limit(limit);
  // SQLite uses a partial index only for its own condition, so the values stand in the text.
  const untried = some
    .select('next_at as since')
    .where('attempts', '=', sql.lit(0))
    .where('next_at', '<=', now);
  const failed = some.select('created_at as since').where('attempts', '>', sql.lit(0));
  const reads = [untried, failed].map((rows) =>
    db
      .selectFrom(rows.as('owed'))
      .select((eb) => [
        eb.fn.countAll<number | string>().as('n'),
        eb.fn.min<number | null>('owed.since').as('oldest'),
      ])
      .executeTakeFirstOrThrow(),
  );
  const read = await Promise.all(reads);
  const count = read.reduce((sum, { n }) => sum + Number(n), 0);
  const since = read.flatMap(({ oldest }) => oldest ?? []);
  return { count: Math.min(count, limit), oldest: since.length === 0 ? null : Math.min(...since) };
}
