import { sql } from 'kysely';
import { isOneOf } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';
import { isSuperseded } from '../grants/handovers.ts';
import type { MappingState } from '../tables/tables.ts';
import { HAS_MOVED } from './imports.ts';

const STATES: readonly MappingState[] = [
  'unmapped',
  'active',
  'reauthorization_required',
  'migrated',
  'revoked',
];

/** The tokens of one app for its pages, and the app's progress of moving. */

/** Selects the tokens of an app, or of one account at the app. */
export interface AppTokenFilter {
  clientId: string;
  accountId?: string;
}

/** Tokens by their ids, in no order, with the account and grant of each, and the client where it is an app's own. */
export async function listTokens(db: Database, ids: readonly string[]) {
  return db
    .selectFrom('mappings as m')
    .leftJoin('accounts as c', 'c.account_id', 'm.account_id')
    .leftJoin('grants as g', 'g.id', 'm.grant_id')
    .leftJoin('modern_clients as o', 'o.id', 'g.modern_client_id')
    .select([
      'm.id',
      'm.hint_first',
      'm.hint_last',
      'm.account_id',
      'm.account_email',
      'm.state',
      'm.reason',
      'm.source',
      'm.client_id',
      'm.claimed_client_id',
      'm.app_proven',
      'm.last_used_at',
      'm.updated_at',
      'c.name as account_name',
      'g.state as grant_state',
      'g.access_expires_at as grant_serves_until',
      'g.suspect_until as grant_suspect_until',
      'g.retry_at as grant_retry_at',
      'g.modern_client_id as grant_client',
      'o.id as grant_own_client',
    ])
    .where(isOneOf(db, 'm.id', ids))
    .execute();
}

/** One row of a page of tokens. */
export type TokenRow = Awaited<ReturnType<typeof listTokens>>[number];

/** How many tokens of an app are in each state, by one index scan. States without a token have no row. */
export async function countByState(
  db: Database,
  clientId: string,
): Promise<Array<{ state: MappingState; n: number }>> {
  const rows = await db
    .selectFrom('mappings')
    .select((eb) => ['state', eb.fn.countAll<number | string>().as('n')])
    .where('client_id', '=', clientId)
    .groupBy('state')
    .execute();
  return rows.map(({ state, n }) => ({ state, n: Number(n) }));
}

/** How many tokens of each of these apps are in each state; an app without a token has no row. */
export async function countStatesOf(
  db: Database,
  clientIds: readonly string[],
): Promise<Array<{ client_id: string; state: MappingState; n: number }>> {
  const rows = await db
    .selectFrom('mappings')
    .select((eb) => ['client_id', 'state', eb.fn.countAll<number | string>().as('n')])
    .where(isOneOf(db, 'client_id', clientIds))
    .groupBy(['client_id', 'state'])
    .execute();
  return rows.map(({ n, ...row }) => ({ ...row, n: Number(n) }));
}

/** In which states an app has any token. Looks at one token of each state, however many there are. */
export async function statesWithTokens(db: Database, clientId: string): Promise<MappingState[]> {
  const { rows } = await sql<{ state: MappingState }>`
    select wanted.state from (${sql.join(
      STATES.map((state) => sql`select ${sql.lit(state)} as state`),
      sql` union all `,
    )}) as wanted
    where exists (select 1 from mappings where client_id = ${clientId} and mappings.state = wanted.state)
  `.execute(db);
  return rows.map(({ state }) => state);
}

/** How many live grants an app has, by the client that got them at the new API. Counts at most `limit` grants. */
export async function countGrants(
  db: Database,
  clientId: string,
  limit: number,
): Promise<Array<{ modern_client_id: string; n: number }>> {
  const first = db
    .selectFrom('grants')
    .select('modern_client_id')
    .where('client_id', '=', clientId)
    // Repeats the condition of the index grants_live.
    .where('state', '<>', sql.lit('dead'))
    .orderBy('account_id')
    .limit(limit);
  return db
    .selectFrom(first.as('first'))
    .select((eb) => ['first.modern_client_id', eb.fn.countAll<number>().as('n')])
    .groupBy('first.modern_client_id')
    .execute();
}

/** How many grants an app has taken over, and how many of them the app has confirmed. Counts at most `limit` grants. */
export async function countHandovers(
  db: Database,
  clientId: string,
  limit: number,
): Promise<{ handed: number; confirmed: number }> {
  const first = db
    .selectFrom('handovers')
    .select('confirmed_at')
    .where('client_id', '=', clientId)
    .orderBy('account_id')
    .limit(limit);
  return db
    .selectFrom(first.as('first'))
    .select((eb) => [
      eb.fn.countAll<number>().as('handed'),
      eb.fn.count<number>('first.confirmed_at').as('confirmed'),
    ])
    .executeTakeFirstOrThrow();
}

/**
 * How many grants an app has taken over after one time, up to another, and never confirmed, and when the first of them
 * was. Reads at most `limit` grants, the first ones; `isPart` says that there may be more. Leaves out grants with a later,
 * confirmed hand-over of the same account.
 */
export async function unconfirmedHandovers(
  db: Database,
  clientId: string,
  { after = 0, before, limit }: { after?: number; before: number; limit: number },
): Promise<{ n: number; since: number | undefined; isPart: boolean }> {
  const { rows } = await sql<Record<'read' | 'n' | 'since', number | string | null>>`
    select count(*) as read, sum(is_open) as n, min(case when is_open = 1 then handed_at end) as since from (
      select h.handed_at, case when ${isSuperseded('h')} then 0 else 1 end as is_open
      from (
        select client_id, account_id, handed_at from handovers
        where client_id = ${clientId} and confirmed_at is null and handed_at > ${after} and handed_at <= ${before}
        order by handed_at limit ${limit}
      ) h
    ) each_one`.execute(db);
  const { read = 0, n = 0, since = null } = rows[0] ?? {};
  return {
    n: Number(n),
    since: since === null ? undefined : Number(since),
    isPart: Number(read) === limit,
  };
}

/**
 * When an app last got a token of another app, 0 for never. The token's earlier calls were counted for the other app.
 * The history shows such a move as an assignment that was made or taken back, or as an import that changed the app.
 */
export async function lastMoveTo(db: Database, clientId: string): Promise<number> {
  const row = await db
    .selectFrom('events')
    .select((eb) => eb.fn.max('at').as('at'))
    .where('client_id', '=', clientId)
    .where(HAS_MOVED)
    .executeTakeFirst();
  const back = await db
    .selectFrom('events')
    .select((eb) => eb.fn.max('at').as('at'))
    .where('client_id', '=', clientId)
    .where('action', '=', sql.lit('token_taken_back'))
    .executeTakeFirst();
  return Math.max(row?.at ?? 0, back?.at ?? 0);
}
