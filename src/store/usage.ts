import { type Insertable, type Kysely, sql } from 'kysely';
import { isOneOf } from './many-rows.ts';
import type { Store } from './store.ts';
import type { Tables, VolatileTables } from './tables.ts';

/** Calls of one token on one day (`YYYY-MM-DD`, UTC), by what was called and how. */
export type UsageRow = Insertable<VolatileTables['usage']>;

/**
 * Adds calls to what is there, in one statement. Rows are locked in their order, which has to be the same in every
 * process, so that two of them cannot wait for each other.
 */
export async function addUsage({ volatile }: Store, rows: readonly UsageRow[]): Promise<void> {
  await volatile
    .insertInto('usage')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['mapping_id', 'day', 'endpoint', 'carrier', 'user_agent', 'outcome'])
        .doUpdateSet((eb) => ({
          calls: eb('usage.calls', '+', eb.ref('excluded.calls')),
          last_at: eb
            .case()
            .when('usage.last_at', '<', eb.ref('excluded.last_at'))
            .then(eb.ref('excluded.last_at'))
            .else(eb.ref('usage.last_at'))
            .end(),
        })),
    )
    .execute();
}

/** How one token was called by one user agent with one carrier; `calls` are those since the day that was asked for. */
export interface UsageSum {
  mapping_id: string;
  carrier: string;
  user_agent: string;
  calls: number;
  last_at: number;
}

/** What is known of the calls of these tokens, the most frequent first. */
export async function sumUsage(
  { volatile }: Store,
  mappingIds: readonly string[],
  sinceDay: string,
): Promise<UsageSum[]> {
  if (mappingIds.length === 0) return [];
  const rows = await volatile
    .selectFrom('usage')
    .select((eb) => [
      'mapping_id',
      'carrier',
      'user_agent',
      sql<number | string>`sum(case when day >= ${sinceDay} then calls else 0 end)`.as('calls'),
      eb.fn.max('last_at').as('last_at'),
    ])
    .where('mapping_id', 'in', mappingIds)
    .groupBy(['mapping_id', 'carrier', 'user_agent'])
    .orderBy('calls', 'desc')
    .orderBy('carrier')
    .orderBy('user_agent')
    .execute();
  // PostgreSQL adds whole numbers up to a decimal one, which comes as text.
  return rows.map((row) => ({ ...row, calls: Number(row.calls) }));
}

/** Calls of one kind, of many tokens together. */
export interface CallSum {
  endpoint: string;
  carrier: string;
  user_agent: string;
  calls: number;
  /** Those that were served. */
  answered: number;
  last_at: number;
}

function isOfTokens({ volatile }: Store, mappingIds: readonly string[]) {
  // Of a database the condition asks its dialect alone, which is that of either database of a store.
  return isOneOf(volatile as unknown as Kysely<Tables>, 'mapping_id', mappingIds);
}

/** The most frequent kinds of calls of these tokens since a day (`YYYY-MM-DD`), the most frequent first. */
export async function sumCalls(
  store: Store,
  mappingIds: readonly string[],
  { sinceDay, limit }: { sinceDay: string; limit: number },
): Promise<CallSum[]> {
  const rows = await store.volatile
    .selectFrom('usage')
    .select((eb) => [
      'endpoint',
      'carrier',
      'user_agent',
      sql<number | string>`sum(calls)`.as('calls'),
      sql<number | string>`sum(case when outcome = 'ok' then calls else 0 end)`.as('answered'),
      eb.fn.max('last_at').as('last_at'),
    ])
    .where(isOfTokens(store, mappingIds))
    .where('day', '>=', sinceDay)
    .groupBy(['endpoint', 'carrier', 'user_agent'])
    .orderBy(sql`sum(calls)`, 'desc')
    .orderBy('endpoint')
    .orderBy('carrier')
    .orderBy('user_agent')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, calls: Number(row.calls), answered: Number(row.answered) }));
}

/** The last call of any of these tokens since a day (`YYYY-MM-DD`). */
export async function findLastCall(
  store: Store,
  mappingIds: readonly string[],
  sinceDay: string,
): Promise<{ last_at: number; user_agent: string } | undefined> {
  return store.volatile
    .selectFrom('usage')
    .select(['last_at', 'user_agent'])
    .where(isOfTokens(store, mappingIds))
    .where('day', '>=', sinceDay)
    .orderBy('last_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Removes at most `limit` rows of days before the given one; answers how many. */
export async function deleteUsageBefore({ volatile }: Store, day: string, limit: number): Promise<number> {
  const key = sql.raw('mapping_id, day, endpoint, carrier, user_agent, outcome');
  const removal = sql`delete from usage where (${key}) in
    (select ${key} from usage where day < ${day} limit ${limit})`;
  return Number((await removal.execute(volatile)).numAffectedRows ?? 0);
}
