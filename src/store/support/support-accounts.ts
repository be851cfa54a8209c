import { type RawBuilder, sql } from 'kysely';
import type { PagePosition } from '../../shared/list-pages.ts';
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

/** How many accounts there are, up to `limit`. */
export async function countListedAccounts(db: Database, limit: number): Promise<number> {
  const some = db.selectFrom('accounts').select('account_id').limit(limit).as('some');
  const { n } = await db
    .selectFrom(some)
    .select((eb) => eb.fn.countAll<number | string>().as('n'))
    .executeTakeFirstOrThrow();
  return Number(n);
}

/**
 * Some stopped tokens, by the index `mappings_stopped`, whose condition is repeated in its own words. A condition on the
 * account would make planners take the index of accounts, which has every token.
 */
const someStopped = (db: Database, limit: number) =>
  db
    .selectFrom('mappings')
    .select(['account_id', 'updated_at'])
    .where(sql<boolean>`state = 'reauthorization_required'`)
    .limit(limit)
    .as('some');

/** The accounts of up to `limit` stopped tokens: how many of these each has, and when the first of them stopped. */
export async function stoppedAccounts(
  db: Database,
  limit: number,
): Promise<Array<{ account_id: string; tokens: number; at: number }>> {
  const rows = await db
    .selectFrom(someStopped(db, limit))
    .select((eb) => [
      'account_id',
      eb.fn.countAll<number | string>().as('tokens'),
      eb.fn.min('updated_at').as('at'),
    ])
    .groupBy('account_id')
    .execute();
  return rows.flatMap(({ account_id: id, tokens, at }) =>
    id === null ? [] : [{ account_id: id, tokens: Number(tokens), at }],
  );
}

/** How many accounts up to `limit` stopped tokens have, and how many tokens these are. */
export async function countStopped(
  db: Database,
  limit: number,
): Promise<{ accounts: number; tokens: number }> {
  const { accounts, tokens } = await db
    .selectFrom(someStopped(db, limit))
    .select((eb) => [
      eb.fn.count<number | string>('account_id').distinct().as('accounts'),
      eb.fn.countAll<number | string>().as('tokens'),
    ])
    .executeTakeFirstOrThrow();
  return { accounts: Number(accounts), tokens: Number(tokens) };
}

/** The accounts that own apps, with the number of their apps, up to `limit`. */
export async function ownersOfApps(
  db: Database,
  limit: number,
): Promise<Array<{ account_id: string; apps: number }>> {
  const rows = await db
    .selectFrom('apps')
    .select((eb) => ['owner_account_id as account_id', eb.fn.countAll<number | string>().as('apps')])
    .where('owner_account_id', 'is not', null)
    .groupBy('owner_account_id')
    .limit(limit)
    .execute();
  return rows.flatMap(({ account_id: id, apps }) =>
    id === null ? [] : [{ account_id: id, apps: Number(apps) }],
  );
}

/** How many accounts own apps. */
export async function countOwners(db: Database): Promise<number> {
  const { n } = await db
    .selectFrom('apps')
    .select((eb) => eb.fn.count<number | string>('owner_account_id').distinct().as('n'))
    .where('owner_account_id', 'is not', null)
    .executeTakeFirstOrThrow();
  return Number(n);
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
