import type { Selectable } from 'kysely';
import type { ExistingTokenTables } from './existing-token-tables.ts';
import type { Database } from './store.ts';

/** The clients that apps have of their own at the modern side. */

export type ModernClientRow = Selectable<ExistingTokenTables['modern_clients']>;

/** A client by its id at the modern side. */
export async function findModernClient(db: Database, id: string): Promise<ModernClientRow | undefined> {
  return db.selectFrom('modern_clients').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The client that consents for an app name; undefined where it is the bridge's. */
export async function findModernClientOf(
  db: Database,
  clientId: string,
): Promise<ModernClientRow | undefined> {
  return db
    .selectFrom('modern_clients')
    .innerJoin('apps', 'apps.modern_client_id', 'modern_clients.id')
    .selectAll('modern_clients')
    .where('apps.client_id', '=', clientId)
    .executeTakeFirst();
}

/** Keeps a client of an app, or what is new of it; false where another app has it. */
export async function keepModernClient(tx: Database, row: ModernClientRow): Promise<boolean> {
  const { id: _id, client_id: _client, ...changes } = row;
  const kept = await tx
    .insertInto('modern_clients')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(changes).where('modern_clients.client_id', '=', row.client_id),
    )
    .executeTakeFirst();
  return kept.numInsertedOrUpdatedRows === 1n;
}

/** Lets consents for an app name a client of its own, or the bridge's again. */
export async function useModernClient(tx: Database, clientId: string, id: string | null): Promise<void> {
  await tx.updateTable('apps').set({ modern_client_id: id }).where('client_id', '=', clientId).execute();
}
