import { type Insertable, sql } from 'kysely';
import { addAppCalls, callsByApp } from './app-calls.ts';
import { noteLostCalls } from './known-calls.ts';
import type { Store } from '../driver/store.ts';
import type { VolatileTables } from '../tables/tables.ts';

/** Calls of one token on one day (`YYYY-MM-DD`, UTC), by what was called and how. */
export type UsageRow = Insertable<VolatileTables['usage']>;

/**
 * Adds calls to what is there, those of their tokens and those of their apps, in one transaction. Rows are locked in their
 * order, which has to be the same in every process, so that two of them cannot wait for each other.
 */
export async function addUsage(store: Store, rows: readonly UsageRow[]): Promise<void> {
  const ofApps = await callsByApp(store, rows);
  const lastAt = Math.max(...rows.map(({ last_at }) => last_at));
  await store.volatile.transaction().execute(async (tx) => {
    await noteLostCalls(tx, lastAt);
    await tx
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
    await addAppCalls(tx, ofApps);
  });
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

/** Removes at most `limit` rows of each kind of days before the given one; answers of which kind it removed most, how many. */
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
