import { BESIDE_MAPPING, type MappingRow } from '../tokens/find-mappings.ts';
import type { Database } from '../driver/store.ts';
import { type App, WAITING_STATES } from '../tables/tables.ts';
import { isOneOf } from '../driver/many-rows.ts';

/** An app in the view of support, retired or not. */

/** An app with the name and address of its owner's account. */
export type OwnedApp = App & { owner_name: string | null; owner_address: string | null };

/** The row of an app. */
export async function readApp(db: Database, clientId: string): Promise<OwnedApp | undefined> {
  return db
    .selectFrom('apps as a')
    .leftJoin('accounts as c', 'c.account_id', 'a.owner_account_id')
    .selectAll('a')
    .select(['c.name as owner_name', 'c.email as owner_address'])
    .where('a.client_id', '=', clientId)
    .executeTakeFirst();
}

/** Apps in the order of their client ids, after one, retired or not. */
export async function listOwnedAppsAfter(db: Database, after: string, limit: number): Promise<OwnedApp[]> {
  return db
    .selectFrom('apps as a')
    .leftJoin('accounts as c', 'c.account_id', 'a.owner_account_id')
    .selectAll('a')
    .select(['c.name as owner_name', 'c.email as owner_address'])
    .where('a.client_id', '>', after)
    .orderBy('a.client_id')
    .limit(limit)
    .execute();
}

/** The callbacks of an app. */
export async function listSupportCallbacks(db: Database, clientId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('app_callbacks')
    .select('uri')
    .where('client_id', '=', clientId)
    .orderBy('uri')
    .execute();
  return rows.map(({ uri }) => uri);
}

/** All extensions of an app, ended or not, newest first; there are few. */
export async function extensionsOf(db: Database, clientId: string) {
  return db
    .selectFrom('extensions')
    .select(['id', 'name', 'until', 'reason', 'granted_by', 'granted_at', 'ended_at', 'ended_by'])
    .where('client_id', '=', clientId)
    .orderBy('granted_at', 'desc')
    .orderBy('id')
    .execute();
}

export type ExtensionRow = Awaited<ReturnType<typeof extensionsOf>>[number];

const tokens = (db: Database) =>
  db
    .selectFrom('mappings as m')
    .innerJoin('apps as a', 'a.client_id', 'm.client_id')
    .leftJoin('accounts as c', 'c.account_id', 'm.account_id')
    .selectAll('m')
    .select(BESIDE_MAPPING);

/** Tokens by their ids, in no order. */
export async function mappingsByIds(db: Database, ids: readonly string[]): Promise<MappingRow[]> {
  return tokens(db)
    .where(isOneOf(db, 'm.id', ids))
    .execute();
}

/** One waiting token of each app of an account: the token by which its page is reached. */
export async function waitingTokenOfApps(
  db: Database,
  accountId: string,
): Promise<Array<{ client_id: string; id: string }>> {
  return db
    .selectFrom('mappings')
    .select((eb) => ['client_id', eb.fn.min('id').as('id')])
    .where('account_id', '=', accountId)
    .where('state', 'in', WAITING_STATES)
    .groupBy('client_id')
    .execute();
}
