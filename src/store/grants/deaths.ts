import { setImmediate as othersFirst } from 'node:timers/promises';
import { type SelectQueryBuilder, sql } from 'kysely';
import type { Database } from '../driver/store.ts';
import type { DeathCause, Tables } from '../tables/tables.ts';

/** Counts that show whether many grants die at once. Each count reads as few rows as possible. */

interface TimeSpan {
  from: number;
  to: number;
}

/** How many accounts lost a grant for one of these causes within a time span. */
export async function countAccountsOfDead(
  db: Database,
  { causes, from, to }: TimeSpan & { causes: readonly DeathCause[] },
): Promise<number> {
  const row = await db
    .selectFrom('grants')
    .select((eb) => eb.fn.count<number>('account_id').distinct().as('n'))
    .where('state', '=', 'dead')
    .where('dead_cause', 'in', causes)
    .where('dead_at', '>', from)
    .where('dead_at', '<=', to)
    .executeTakeFirstOrThrow();
  return row.n;
}

/**
 * How many accounts have a live grant, or lost a grant for one of these causes within a time span. Accounts with a live
 * grant are counted up to `limit`, each by one step in the index of accounts, because a fleet may have millions.
 */
export async function countAccounts(
  db: Database,
  { causes, from, to, limit }: TimeSpan & { causes: readonly DeathCause[]; limit: number },
): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    with recursive living (account_id, n) as (
      select (select min(account_id) from grants where state <> 'dead'), 1
      union all
      select (
        select min(next.account_id) from grants as next
        where next.state <> 'dead' and next.account_id > living.account_id
      ), n + 1
      from living where living.account_id is not null and n < ${limit}
    )
    select count(*) as n from (
      select account_id from living where account_id is not null
      union
      select account_id from grants
      where state = 'dead' and dead_cause in (${sql.join(causes)}) and dead_at > ${from} and dead_at <= ${to}
    ) as accounts`.execute(db);
  return rows[0]?.n ?? 0;
}

async function countSome(
  db: Database,
  query: SelectQueryBuilder<Tables, 'grants', object>,
  limit: number,
): Promise<number> {
  const some = query.select('grants.id').limit(limit).as('some');
  const row = await db.selectFrom(some).select(sql<number>`count(*)`.as('n')).executeTakeFirstOrThrow();
  return row.n;
}

/** How many grants were refreshed successfully within a time span, counted up to `limit`. */
export async function countRefreshed(
  db: Database,
  { from, to, limit }: TimeSpan & { limit: number },
): Promise<number> {
  const refreshed = db
    .selectFrom('grants')
    .where('state', '=', 'ready')
    .where('version', '>', 1)
    .where('rotated_at', '>', from)
    .where('rotated_at', '<=', to);
  return countSome(db, refreshed, limit);
}

/** The last counted grant, in the order of the index of live grants. Before the first grant both fields are ''. */
interface GrantPosition {
  client_id: string;
  account_id: string;
}

const NONE: GrantPosition = { client_id: '', account_id: '' };

const livingAfter = (db: Database, { client_id: clientId, account_id: accountId }: GrantPosition) =>
  db
    .selectFrom('grants')
    .select(['client_id', 'account_id'])
    .where(sql<boolean>`state <> 'dead'`)
    .where(sql<boolean>`(client_id, account_id) > (${clientId}, ${accountId})`)
    .orderBy('client_id')
    .orderBy('account_id');

/** How many grants are alive after a given grant, counted up to `limit`. */
export async function countLiveUpTo(db: Database, limit: number, after = NONE): Promise<number> {
  const some = livingAfter(db, after).limit(limit).as('some');
  const row = await db.selectFrom(some).select(sql<number>`count(*)`.as('n')).executeTakeFirstOrThrow();
  return row.n;
}

/**
 * How many grants are alive, counted in pieces: on SQLite a statement blocks the whole process while the statement
 * runs.
 */
export async function countLiveGrantsInPieces(db: Database, piece = 5000): Promise<number> {
  let after = NONE;
  for (let counted = 0; ; counted += piece) {
    const last = await livingAfter(db, after)
      .limit(1)
      .offset(piece - 1)
      .executeTakeFirst();
    if (last === undefined) return counted + (await countLiveUpTo(db, piece, after));
    after = last;
    await othersFirst();
  }
}
