import type { Store } from './store.ts';

/** Signed-in browsers, by the digest of what their cookie holds. */

/** What a session holds, while it lasts. */
export async function findSession(
  { volatile }: Store,
  idDigests: readonly string[],
  now: number,
): Promise<string | undefined> {
  const row = await volatile
    .selectFrom('sessions')
    .select('content')
    .where('id_digest', 'in', idDigests)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row?.content;
}

/** Keeps what a session holds from now on. */
export async function keepSession(
  { volatile }: Store,
  row: { id_digest: string; content: string; expires_at: number },
): Promise<void> {
  const { id_digest: _id, ...changes } = row;
  await volatile
    .insertInto('sessions')
    .values(row)
    .onConflict((conflict) => conflict.column('id_digest').doUpdateSet(changes))
    .execute();
}

/** Ends a session. */
export async function deleteSession({ volatile }: Store, idDigests: readonly string[]): Promise<void> {
  await volatile.deleteFrom('sessions').where('id_digest', 'in', idDigests).execute();
}

/** Removes sessions that ended before the given time. */
export async function deleteSessionsBefore({ volatile }: Store, time: number): Promise<void> {
  await volatile.deleteFrom('sessions').where('expires_at', '<', time).execute();
}
