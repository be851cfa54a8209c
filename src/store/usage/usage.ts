import { type Insertable, sql } from 'kysely';
import { insertionOf } from '../driver/many-rows.ts';
import { addAppCalls, callsByApp } from './app-calls.ts';
import { noteCounting } from './known-calls.ts';
import type { Store } from '../driver/store.ts';
import type { VolatileTables } from '../tables/tables.ts';

/** The calls of one token on one day (`YYYY-MM-DD`, UTC), by endpoint, carrier, user agent and outcome. */
export type UsageRow = Insertable<VolatileTables['usage']>;

/**
 * Adds calls to the stored counts of their tokens and apps, in one transaction. Rows are locked in the given order.
 * Every process must use the same order, so that two processes cannot wait for each other.
 */
export async function addUsage(store: Store, rows: readonly UsageRow[]): Promise<void> {
  const ofApps = await callsByApp(store, rows);
  const lastAt = Math.max(...rows.map(({ last_at }) => last_at));
  await store.volatile.transaction().execute(async (tx) => {
    await noteCounting(tx, lastAt);
    await sql`${insertionOf(tx, 'usage', rows)}
      on conflict (mapping_id, day, endpoint, carrier, user_agent, outcome) do update set
      calls = usage.calls + excluded.calls,
      last_at = case when usage.last_at < excluded.last_at then excluded.last_at else usage.last_at end`.execute(
      tx,
    );
    await addAppCalls(tx, ofApps);
  });
}

/** The calls of one token by one user agent with one carrier. `calls` and `refused` count since the requested day. */
export interface UsageSum {
  mapping_id: string;
  carrier: string;
  user_agent: string;
  calls: number;
  refused: number;
  last_at: number;
}

/** The known calls of these tokens, the most frequent first. */
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
      sql<
        number | string
      >`sum(case when day >= ${sinceDay} and outcome = 'refused' then calls else 0 end)`.as('refused'),
      eb.fn.max('last_at').as('last_at'),
    ])
    .where('mapping_id', 'in', mappingIds)
    .groupBy(['mapping_id', 'carrier', 'user_agent'])
    .orderBy('calls', 'desc')
    .orderBy('carrier')
    .orderBy('user_agent')
    .execute();
  // PostgreSQL returns a sum of integers as a decimal, in a text.
  return rows.map((row) => ({ ...row, calls: Number(row.calls), refused: Number(row.refused) }));
}

/** Removes at most `limit` rows of each kind from days before the given day; returns the larger of the two numbers. */
export async function deleteUsageBefore({ volatile }: Store, day: string, limit: number): Promise<number> {
  const removed = await Promise.all(
    (['usage', 'app_calls'] as const).map(async (table) => {
      const of = table === 'usage' ? 'mapping_id' : 'client_id';
      const key = sql.raw(`${of}, day, endpoint, carrier, user_agent, outcome`);
      const removal = sql`delete from ${sql.table(table)} where (${key}) in
        (select ${key} from ${sql.table(table)} where day < ${day} limit ${limit})`;
      return Number((await removal.execute(volatile)).numAffectedRows ?? 0);
    }),
  );
  return Math.max(...removed);
}
