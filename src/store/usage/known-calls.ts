import type { Kysely } from 'kysely';
import type { Store } from '../driver/store.ts';
import type { VolatileTables } from '../tables/tables.ts';

/**
 * Since when the kept calls are complete. They are in the volatile database: a crash of PostgreSQL, a promoted standby
 * or a restored backup begins without them. Then no page may say that no calls came.
 */

/**
 * The moments after which the calls of tokens, and of apps, are complete: 0 when they always were, Infinity when
 * unknown.
 */
interface CompletenessTimes {
  tokens: number;
  apps: number;
}

export async function callsWholeAfter({ volatile }: Pick<Store, 'volatile'>): Promise<CompletenessTimes> {
  const row = await volatile
    .selectFrom('app_calls_begin')
    .select(['whole_after', 'lost_before'])
    .executeTakeFirst();
  if (!row) return { tokens: Infinity, apps: Infinity };
  return { tokens: row.lost_before, apps: Math.max(row.whole_after, row.lost_before) };
}

/**
 * Call before adding calls, the last of which came `at`. When the row was lost, the calls before these were lost too.
 */
export async function noteLostCalls(volatile: Kysely<VolatileTables>, at: number): Promise<void> {
  await volatile
    .insertInto('app_calls_begin')
    .values({ singleton: 1, whole_after: 0, lost_before: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Marks that the earlier calls are unknown from now on. */
export async function markCallsUnknown({ volatile }: Pick<Store, 'volatile'>): Promise<void> {
  await volatile.deleteFrom('app_calls_begin').execute();
}
