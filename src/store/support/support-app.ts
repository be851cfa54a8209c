import { sql } from 'kysely';
import { BESIDE_MAPPING, type MappingRow } from '../tokens/find-mappings.ts';
import type { Database } from '../driver/store.ts';
import type { App } from '../tables/tables.ts';

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

/** Tokens of an app in the order of their ids, after an id. */
export async function tokensAfter(
  db: Database,
  clientId: string,
  { after, limit }: { after: string; limit: number },
): Promise<MappingRow[]> {
  const query = tokens(db).where('m.client_id', '=', clientId).where('m.id', '>', after);
  return query.orderBy('m.id').limit(limit).execute();
}

const NEED = sql<number>`case m.state when 'reauthorization_required' then 0 when 'unmapped' then 1
  when 'active' then 2 else 3 end`;
const STOPPED_AT = sql<number | null>`case when m.state = 'reauthorization_required' then m.updated_at end`;

/**
 * Tokens of an account: stopped tokens first (the earliest stop first), then unmapped, active and ended tokens, each by
 * the names of their apps.
 */
export async function tokensOfHolder(db: Database, accountId: string, limit: number): Promise<MappingRow[]> {
  const query = tokens(db).where('m.account_id', '=', accountId).orderBy(NEED).orderBy(STOPPED_AT);
  return query.orderBy('a.name').orderBy('m.created_at', 'desc').orderBy('m.id').limit(limit).execute();
}
