import type { Selectable } from 'kysely';
import type { ExistingTokenTables } from '../tables/existing-token-tables.ts';
import type { Database } from '../driver/store.ts';

/** The clients of apps at the new API (an app's own client). */

export type ModernClientRow = Selectable<ExistingTokenTables['modern_clients']>;

/** A client by its id at the new API. */
export async function findModernClient(db: Database, id: string): Promise<ModernClientRow | undefined> {
  return db.selectFrom('modern_clients').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The client that consents for an app name; undefined when they name the bridge's client. */
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

/** A client that consents for an app name. */
export interface ClientInUse {
  id: string;
  secret_sealed: string | null;
  scopes: string;
  client_id: string;
  app_name: string;
}

/** The clients that consents of apps name, the last entered first, up to `limit`. */
export async function listClientsInUse(db: Database, limit: number): Promise<ClientInUse[]> {
  return db
    .selectFrom('modern_clients')
    .innerJoin('apps', 'apps.modern_client_id', 'modern_clients.id')
    .select(['modern_clients.id', 'modern_clients.secret_sealed', 'modern_clients.scopes'])
    .select(['apps.client_id', 'apps.name as app_name'])
    .where('apps.retired_at', 'is', null)
    .orderBy('modern_clients.proven_at', 'desc')
    .orderBy('modern_clients.id')
    .limit(limit)
    .execute();
}

/**
 * Whether a client belongs to another app: consents for the other app name the client, or a pair of the client lives.
 */
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

/** The fields that an owner enters for a client. */
type EnteredClientRow = Omit<ModernClientRow, 'keeps_handovers' | 'secret_retired_at'>;

/** Keeps an app's client, or its new fields. Earlier decisions of the owner about the client are reset. */
export async function keepModernClient(tx: Database, row: EnteredClientRow): Promise<void> {
  const { id, ...entered } = row;
  const changes = { ...entered, keeps_handovers: 0, secret_retired_at: null };
  await tx
    .insertInto('modern_clients')
    .values({ id, ...changes })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(changes))
    .execute();
}

/** Makes consents for an app name the app's own client, or the bridge's client again (null). */
export async function useModernClient(tx: Database, clientId: string, id: string | null): Promise<void> {
  await tx.updateTable('apps').set({ modern_client_id: id }).where('client_id', '=', clientId).execute();
}

/**
 * Whether a client may take pairs now: consents for its app name the client, or the owner lets the client's hand-overs
 * go on. That of a retired app takes none, and confirms none either: no token of it is found any more.
 */
export async function takesPairs(db: Database, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('modern_clients')
    .innerJoin('apps', 'apps.client_id', 'modern_clients.client_id')
    .select('modern_clients.id')
    .where('modern_clients.id', '=', id)
    .where('apps.retired_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('modern_clients.keeps_handovers', '=', 1),
        eb('apps.modern_client_id', '=', eb.ref('modern_clients.id')),
      ]),
    )
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * All clients that an app has or had, the last entered first. `in_use` is the client that consents for the app name.
 */
export async function listClientsOf(
  db: Database,
  clientId: string,
): Promise<Array<ModernClientRow & { in_use: string | null }>> {
  return db
    .selectFrom('modern_clients')
    .innerJoin('apps', 'apps.client_id', 'modern_clients.client_id')
    .selectAll('modern_clients')
    .select('apps.modern_client_id as in_use')
    .where('modern_clients.client_id', '=', clientId)
    .orderBy('modern_clients.proven_at', 'desc')
    .orderBy('modern_clients.id')
    .execute();
}

/** A client, together with the app that must own the client. */
export interface ClientOfApp {
  id: string;
  clientId: string;
}

/** Lets the hand-overs of a client go on, or ends them; false when nothing changes. */
export async function setHandovers(
  tx: Database,
  { id, clientId }: ClientOfApp,
  goOn: boolean,
): Promise<boolean> {
  const result = await tx
    .updateTable('modern_clients')
    .set({ keeps_handovers: goOn ? 1 : 0 })
    .where('id', '=', id)
    .where('client_id', '=', clientId)
    .where('keeps_handovers', '=', goOn ? 0 : 1)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/**
 * Refuses the secret of a client at the exchange from now on; false when there is no secret, or the secret is refused
 * already.
 */
export async function retireClientSecret(
  tx: Database,
  { id, clientId }: ClientOfApp,
  now: number,
): Promise<boolean> {
  const result = await tx
    .updateTable('modern_clients')
    .set({ secret_retired_at: now })
    .where('id', '=', id)
    .where('client_id', '=', clientId)
    .where('secret_sealed', 'is not', null)
    .where('secret_retired_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}
