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

/** Whether a client is another app's: consents for it name the client, or a pair that came by it lives. */
export async function isTakenByOther(db: Database, id: string, clientId: string): Promise<boolean> {
  const row = await db
    .selectFrom('modern_clients')
    .select('id')
    .where('id', '=', id)
    .where('client_id', '<>', clientId)
    .where((eb) =>
      eb.or([
        eb.exists(eb.selectFrom('apps').select('client_id').where('modern_client_id', '=', id)),
        eb.exists(
          eb
            .selectFrom('grants')
            .select('grants.id')
            .where('grants.modern_client_id', '=', id)
            .where((on) => on.or([on('state', '<>', 'dead'), on('dead_cause', '=', 'handed_over')])),
        ),
      ]),
    )
    .executeTakeFirst();
  return row !== undefined;
}

/** Keeps a client of an app, or what is new of it. */
export async function keepModernClient(tx: Database, row: ModernClientRow): Promise<void> {
  const { id: _id, ...changes } = row;
  await tx
    .insertInto('modern_clients')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(changes))
    .execute();
}

/** Lets consents for an app name a client of its own, or the bridge's again. */
export async function useModernClient(tx: Database, clientId: string, id: string | null): Promise<void> {
  await tx.updateTable('apps').set({ modern_client_id: id }).where('client_id', '=', clientId).execute();
}
