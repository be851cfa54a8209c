import { type RawBuilder, sql } from 'kysely';
import { isSqlite } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';

/** The ids of an app's tokens, or of one account's tokens at the app, in order after an id. */
export async function listMappingIds(
  db: Database,
  { clientId, accountId }: { clientId: string; accountId?: string | undefined },
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('mappings')
    .select('id')
    .where('client_id', '=', clientId)
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId ?? ''))
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** The ids of an account's tokens at all apps, in order after an id. */
export async function listIdsOfAccount(
  db: Database,
  accountId: string,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const own = db.selectFrom('mappings').select('id').where('account_id', '=', accountId);
  const rows = await own.where('id', '>', after).orderBy('id').limit(limit).execute();
  return rows.map(({ id }) => id);
}

/** The ids of the tokens that stand on a grant, the first ones. */
export async function listIdsUnder(db: Database, grantId: string, limit: number): Promise<string[]> {
  const under = db.selectFrom('mappings').select('id').where('grant_id', '=', grantId);
  const rows = await under.orderBy('id').limit(limit).execute();
  return rows.map(({ id }) => id);
}

/** A token with its app. */
export interface TokenOfApp {
  id: string;
  client_id: string;
}

/** The tokens of an account at these apps: in the order of the apps, and of one app in the order of their ids. */
export async function listIdsAtApps(
  db: Database,
  { accountId, clientIds }: { accountId: string; clientIds: readonly string[] },
  limit: number,
): Promise<TokenOfApp[]> {
  const apps = isSqlite(db)
    ? sql`(select key as place, value as client_id from json_each(${JSON.stringify(clientIds)}))`
    : sql`(select place, client_id from unnest(${clientIds}::text[]) with ordinality as given (client_id, place))`;
  // SQLite reads the tables in the order of a cross join: each app is one look into the index.
  const { rows } = await sql<TokenOfApp>`select m.id, m.client_id from ${apps} as o cross join mappings as m
    where m.client_id = o.client_id and m.account_id = ${accountId}
    order by o.place, m.id limit ${limit}`.execute(db);
  return rows;
}

/** These tokens as the table `o` of a statement, with the columns `id` and `client_id`. */
export function givenTokens(
  db: Pick<Database, 'getExecutor'>,
  tokens: readonly TokenOfApp[],
): RawBuilder<unknown> {
  const [ids, apps] = [tokens.map(({ id }) => id), tokens.map(({ client_id }) => client_id)];
  if (!isSqlite(db)) return sql`unnest(${ids}::text[], ${apps}::text[]) as o (id, client_id)`;
  return sql`(select value ->> 'id' as id, value ->> 'client_id' as client_id
    from json_each(${JSON.stringify(tokens)})) as o`;
}
