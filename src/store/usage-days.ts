import { type Kysely, sql } from 'kysely';
import { isOneOf } from './many-rows.ts';
import type { Database, Store } from './store.ts';
import type { Tables } from './tables.ts';

/** The calls of tokens day by day, for charts. */

/** Calls of one kind on one day (`YYYY-MM-DD`, UTC), of many tokens together. */
export interface DayCalls {
  day: string;
  endpoint: string;
  carrier: string;
  calls: number;
  /** How many of them were refused. */
  refused: number;
}

/** The calls of these tokens since a day, by day, endpoint and carrier. */
export async function sumDays(
  { volatile }: Store,
  mappingIds: readonly string[],
  sinceDay: string,
): Promise<DayCalls[]> {
  const rows = await volatile
    .selectFrom('usage')
    .select([
      'day',
      'endpoint',
      'carrier',
      sql<number | string>`sum(calls)`.as('calls'),
      sql<number | string>`sum(case when outcome = 'refused' then calls else 0 end)`.as('refused'),
    ])
    // Of a database the condition asks its dialect alone, which is that of either database of a store.
    .where(isOneOf(volatile as unknown as Kysely<Tables>, 'mapping_id', mappingIds))
    .where('day', '>=', sinceDay)
    .groupBy(['day', 'endpoint', 'carrier'])
    .orderBy('day')
    .execute();
  return rows.map((row) => ({ ...row, calls: Number(row.calls), refused: Number(row.refused) }));
}

/** The ids of an app's tokens, or of those that one account has of it, in their order after one of them. */
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
