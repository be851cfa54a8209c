import { isOneOf } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';
import type { App } from '../tables/tables.ts';

/** Apps that are retired: all their tokens are refused, and their pages are gone. */

/** An app, retired or not. */
export async function findAnyApp(
  db: Database,
  clientId: string,
): Promise<Pick<App, 'name' | 'source' | 'retired_at'> | undefined> {
  return db
    .selectFrom('apps')
    .select(['name', 'source', 'retired_at'])
    .where('client_id', '=', clientId)
    .executeTakeFirst();
}

/** Retires an app or lets it live again, if it stands as `from` says. */
export async function changeRetired(
  tx: Database,
  clientId: string,
  { from, to }: { from: number | null; to: number | null },
): Promise<boolean> {
  const changed = await tx
    .updateTable('apps')
    .set({ retired_at: to })
    .where('client_id', '=', clientId)
    .where('retired_at', 'is not distinct from', from)
    .executeTakeFirst();
  return changed.numUpdatedRows === 1n;
}

/** The retired ones of these apps. */
export async function retiredAmong(db: Database, clientIds: readonly string[]): Promise<string[]> {
  const retired = db
    .selectFrom('apps')
    .select('client_id')
    .where(isOneOf(db, 'client_id', [...new Set(clientIds)]))
    .where('retired_at', 'is not', null);
  return (await retired.execute()).map(({ client_id: clientId }) => clientId);
}
