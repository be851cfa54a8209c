import { Sqlite } from '../../../src/shared/sqlite.ts';
import type { Context } from '../../../src/domain/context.ts';

/**
 * Lets the access tokens of all grants in a running bridge's SQLite file be over, so that the next read refreshes. A
 * short life of the tokens would do the same on a fast machine alone: on a slow one a second refresh follows.
 */
export function expireGrants(file: string): void {
  const db = new Sqlite(file);
  db.prepare('update grants set access_expires_at = ?').run(Date.now() - 1000);
  db.close();
}

/** The same on whatever database the context stands on, for all live grants. */
export async function expireGrantsOf({ store }: Pick<Context, 'store'>): Promise<void> {
  await store.durable
    .updateTable('grants')
    .set({ access_expires_at: 0, refresh_at: 0 })
    .where('state', '<>', 'dead')
    .execute();
}
