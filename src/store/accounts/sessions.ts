import { sql, type SqlBool } from 'kysely';
import { deletePiece, FIRST_PIECE, type PieceResult } from '../driver/pieces.ts';
import type { Store } from '../driver/store.ts';

/** Signed-in browsers, by the digest of the session id in their cookie. */

interface SessionRow {
  content: string;
  expires_at: number;
}

/**
 * The content of a session that has not ended. A session without an account id would outlive a sign-out everywhere, so
 * it is not returned.
 */
export async function findSession(
  { volatile }: Store,
  idDigests: readonly string[],
  now: number,
): Promise<SessionRow | undefined> {
  return volatile
    .selectFrom('sessions')
    .select(['content', 'expires_at'])
    .where('id_digest', 'in', idDigests)
    .where('expires_at', '>', now)
    .where('account_id', 'is not', null)
    .executeTakeFirst();
}

/** Keeps a new session. */
export async function insertSession(
  { volatile }: Store,
  row: SessionRow & { id_digest: string; account_id: string },
): Promise<void> {
  await volatile.insertInto('sessions').values(row).execute();
}

/** Keeps the new content of a session. A session that has ended meanwhile stays ended. */
export async function changeSession(
  { volatile }: Store,
  idDigests: readonly string[],
  { now, ...changes }: SessionRow & { now: number },
): Promise<void> {
  await volatile
    .updateTable('sessions')
    .set(changes)
    .where('id_digest', 'in', idDigests)
    .where('expires_at', '>', now)
    .execute();
}

/** Prolongs a session to a later time. A session that has ended meanwhile stays ended. */
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

/** Ends a session; false where there was none any more. */
export async function deleteSession({ volatile }: Store, idDigests: readonly string[]): Promise<boolean> {
  const deleted = await volatile
    .deleteFrom('sessions')
    .where('id_digest', 'in', idDigests)
    .executeTakeFirst();
  return deleted.numDeletedRows > 0n;
}

/** The sessions of an account, with what they hold. */
export async function readSessionsOf(
  { volatile }: Store,
  accountId: string,
): Promise<Array<{ id_digest: string; content: string }>> {
  return volatile
    .selectFrom('sessions')
    .select(['id_digest', 'content'])
    .where('account_id', '=', accountId)
    .execute();
}

/** Ends all sessions of an account; returns how many. */
export async function deleteSessionsOf({ volatile }: Store, accountId: string): Promise<number> {
  const deleted = await volatile
    .deleteFrom('sessions')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return Number(deleted.numDeletedRows);
}

/** How many browsers an account is signed in with. */
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
): Promise<PieceResult> {
  const rows = { table: 'sessions', key: 'id_digest', by: 'expires_at' };
  return deletePiece(volatile, { ...rows, which: sql<SqlBool>`expires_at < ${time}` }, piece);
}
