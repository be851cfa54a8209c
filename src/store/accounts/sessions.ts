import { sql, type SqlBool } from 'kysely';
import { deletePiece, FIRST_PIECE, type PieceDone } from '../driver/pieces.ts';
import type { Store } from '../driver/store.ts';

/** Signed-in browsers, by the digest of what their cookie holds. */

interface KeptSession {
  content: string;
  expires_at: number;
}

/** What a session holds, while it lasts; one from before its account was kept would outlive a sign-out everywhere. */
export async function findSession(
  { volatile }: Store,
  idDigests: readonly string[],
  now: number,
): Promise<KeptSession | undefined> {
  return volatile
    .selectFrom('sessions')
    .select(['content', 'expires_at'])
    .where('id_digest', 'in', idDigests)
    .where('expires_at', '>', now)
    .where('account_id', 'is not', null)
    .executeTakeFirst();
}

/** Keeps what a session holds from now on. */
export async function keepSession(
  { volatile }: Store,
  row: KeptSession & { id_digest: string; account_id: string },
): Promise<void> {
  const { id_digest: _id, ...changes } = row;
  await volatile
    .insertInto('sessions')
    .values(row)
    .onConflict((conflict) => conflict.column('id_digest').doUpdateSet(changes))
    .execute();
}

/** Lets a session last until a later time; one that has ended meanwhile stays so. */
export async function prolongSession(
  { volatile }: Store,
  idDigests: readonly string[],
  { until, now }: { until: number; now: number },
): Promise<void> {
  await volatile
    .updateTable('sessions')
    .set({ expires_at: until })
    .where('id_digest', 'in', idDigests)
    .where('expires_at', '>', now)
    .where('expires_at', '<', until)
    .execute();
}

/** Ends a session. */
export async function deleteSession({ volatile }: Store, idDigests: readonly string[]): Promise<void> {
  await volatile.deleteFrom('sessions').where('id_digest', 'in', idDigests).execute();
}

/** Ends all sessions of an account; answers how many. */
export async function deleteSessionsOf({ volatile }: Store, accountId: string): Promise<number> {
  const deleted = await volatile
    .deleteFrom('sessions')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return Number(deleted.numDeletedRows);
}

/** In how many browsers an account is signed in. */
export async function countSessionsOf({ volatile }: Store, accountId: string, now: number): Promise<number> {
  const row = await volatile
    .selectFrom('sessions')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Removes a piece of the sessions that ended before the given time. */
export function deleteSessionsBefore(
  { volatile }: Store,
  time: number,
  piece = FIRST_PIECE,
): Promise<PieceDone> {
  const rows = { table: 'sessions', key: 'id_digest', by: 'expires_at' };
  return deletePiece(volatile, { ...rows, which: sql<SqlBool>`expires_at < ${time}` }, piece);
}
