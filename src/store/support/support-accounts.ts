import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { PageKey, PagePosition } from '../../shared/list-pages.ts';
import { isOneOf, isSqlite } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';
import type { MappingState } from '../tables/tables.ts';

/** The list of all accounts: by name, or only those with stopped tokens, or with apps. Each uses an index that exists. */

/** Repeats the expression of the index `accounts_by_name`. */
const startOfName = (db: Database): RawBuilder<string> =>
  isSqlite(db) ? sql`substr(lower(name), 1, 100)` : sql`(left(lower(name), 100) collate "C")`;

/** The start of a name, as the database compares it; undefined for an account without a name. */
async function startOf(db: Database, accountId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('accounts')
    .select(startOfName(db).as('start'))
    .where('account_id', '=', accountId)
    .where('name', 'is not', null)
    .executeTakeFirst();
  return row?.start;
}

interface Stretch {
  /** Whose side the rows lie on; undefined from the end. */
  from: string | undefined;
  to: PagePosition['to'];
  limit: number;
}

/** Account ids in the order of their names; undefined where the account to begin from has no name any more. */
export async function namedAccounts(
  db: Database,
  { from, to, limit }: Stretch,
): Promise<string[] | undefined> {
  const start = from === undefined ? undefined : await startOf(db, from);
  if (from !== undefined && start === undefined) return undefined;
  const name = startOfName(db);
  const [side, edge, direction] =
    to === 'after' ? (['>', '>=', 'asc'] as const) : (['<', '<=', 'desc'] as const);
  const rows = await db
    .selectFrom('accounts')
    .select('account_id')
    .where('name', 'is not', null)
    .$if(start !== undefined, (all) =>
      all
        .where(name, edge, start ?? '')
        .where((is) => is.or([is(name, side, start ?? ''), is('account_id', side, from ?? '')])),
    )
    .orderBy(name, direction)
    .orderBy('account_id', direction)
    .limit(limit)
    .execute();
  return rows.map(({ account_id: id }) => id);
}

/** Ids of accounts without a known name, in their order. */
export async function unnamedAccounts(db: Database, { from, to, limit }: Stretch): Promise<string[]> {
  const rows = await db
    .selectFrom('accounts')
    .select('account_id')
    .where('name', 'is', null)
    .$if(from !== undefined, (all) => all.where('account_id', to === 'after' ? '>' : '<', from ?? ''))
    .orderBy('account_id', to === 'after' ? 'asc' : 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ account_id: id }) => id);
}

/** How many accounts there are, with stopped tokens, and with apps. Each count reads an index alone. */
export async function countListedAccounts(
  db: Database,
): Promise<{ all: number; stopped: number; owners: number }> {
  const { rows } = await sql<Record<'all' | 'stopped' | 'owners', number | string>>`select
    (select count(*) from accounts) as ${sql.ref('all')},
    (select count(*) from (select distinct account_id from mappings where ${HAS_STOPPED}) as one) as stopped,
    (select count(distinct owner_account_id) from apps where owner_account_id is not null) as owners`.execute(
    db,
  );
  const [{ all, stopped, owners } = { all: 0, stopped: 0, owners: 0 }] = rows;
  return { all: Number(all), stopped: Number(stopped), owners: Number(owners) };
}

/** Repeats the condition of the index mappings_stopped_by_account. Nearly every stopped token has an account. */
const HAS_STOPPED = sql<SqlBool>`state = 'reauthorization_required' and account_id is not null`;

/** The accounts with stopped tokens, each with when its first one stopped. */
const STOPPED = sql`(select account_id as id, min(updated_at) as rank from mappings where ${HAS_STOPPED}
  group by account_id) as stopped`;

/** Where a list begins: in which order, and beside which row. */
interface StoppedFrom {
  isFalling: boolean;
  position: PagePosition | undefined;
}

const besideOf = (key: PageKey, isHigher: boolean) =>
  sql<SqlBool>`(rank, id) ${isHigher ? sql`>` : sql`<`} (${key.rank}, ${key.id})`;

/** Accounts by when their first token stopped, up to `limit`, from a position on; before one the nearest come first. */
export async function stoppedAccounts(
  db: Database,
  { isFalling, position }: StoppedFrom,
  limit: number,
): Promise<PageKey[]> {
  const isRising = (position?.to === 'back') === isFalling;
  const direction = isRising ? sql`asc` : sql`desc`;
  const from = position ? besideOf(position.key, isRising) : sql`true`;
  const { rows } = await sql<PageKey>`select id, rank from ${STOPPED} where ${from}
    order by rank ${direction}, id ${direction} limit ${limit}`.execute(db);
  return rows;
}

/** How many accounts come before one in that order. */
export async function countStoppedBefore(
  db: Database,
  key: PageKey,
  { isFalling }: Pick<StoppedFrom, 'isFalling'>,
): Promise<number> {
  const { rows } = await sql<{ n: number | string }>`select count(*) as n from ${STOPPED}
    where ${besideOf(key, isFalling)}`.execute(db);
  return Number(rows[0]?.n ?? 0);
}

/** The accounts that own apps, with the number of their apps. There are no more of them than apps. */
export async function ownersOfApps(db: Database): Promise<Array<{ account_id: string; apps: number }>> {
  const rows = await db
    .selectFrom('apps')
    .select((eb) => ['owner_account_id as account_id', eb.fn.countAll<number | string>().as('apps')])
    .where('owner_account_id', 'is not', null)
    .groupBy('owner_account_id')
    .execute();
  return rows.flatMap(({ account_id: id, apps }) =>
    id === null ? [] : [{ account_id: id, apps: Number(apps) }],
  );
}

/** The tokens of some accounts by state, with their last use as it is noted. */
export async function tokensOfAccounts(
  db: Database,
  accountIds: readonly string[],
): Promise<Array<{ account_id: string; state: MappingState; n: number; used: number | null }>> {
  const rows = await db
    .selectFrom('mappings')
    .select((eb) => [
      'account_id',
      'state',
      eb.fn.countAll<number | string>().as('n'),
      eb.fn.max('last_used_at').as('used'),
    ])
    .where(isOneOf(db, 'account_id', accountIds))
    .groupBy(['account_id', 'state'])
    .execute();
  return rows.flatMap(({ account_id: id, n, ...row }) =>
    id === null ? [] : [{ ...row, account_id: id, n: Number(n) }],
  );
}
