import { type SelectQueryBuilder, sql } from 'kysely';
import type { Database } from '../store.ts';
import type { DeathCause, Tables } from '../tables.ts';

/** Counts that tell whether many grants die at once; each reads no more rows than it has to. */

interface Span {
  from: number;
  to: number;
}

/** How many accounts lost a grant for one of these causes within a span of time. */
export async function countAccountsOfDead(
  db: Database,
  { causes, from, to }: Span & { causes: readonly DeathCause[] },
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

async function countSome(
  db: Database,
  query: SelectQueryBuilder<Tables, 'grants', object>,
  limit: number,
): Promise<number> {
  const some = query.select('grants.id').limit(limit).as('some');
  const row = await db.selectFrom(some).select(sql<number>`count(*)`.as('n')).executeTakeFirstOrThrow();
  return row.n;
}

/** How many grants were refreshed well within a span of time, counted up to `limit`. */
export async function countRefreshed(
  db: Database,
  { from, to, limit }: Span & { limit: number },
): Promise<number> {
  const refreshed = db
    .selectFrom('grants')
    .where('state', '=', 'ready')
    .where('version', '>', 1)
    .where('rotated_at', '>', from)
    .where('rotated_at', '<=', to);
  return countSome(db, refreshed, limit);
}

/** How many grants are alive, counted up to `limit`. */
export async function countLiveUpTo(db: Database, limit: number): Promise<number> {
  return countSome(db, db.selectFrom('grants').where('state', '<>', 'dead'), limit);
}
