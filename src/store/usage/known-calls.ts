import type { Kysely } from 'kysely';
import type { Store } from '../driver/store.ts';
import type { VolatileTables } from '../tables/tables.ts';

/**
 * Since when the calls that are kept are all that came. They stand in what may be lost: a crash of PostgreSQL, a standby that
 * takes over and a restored backup begin without them, and then no page may say that none came.
 */

/** The moments after which the calls of tokens, and of apps, are whole: 0 where they always were, Infinity where nobody knows. */
interface WholeAfter {
  tokens: number;
  apps: number;
}

export async function callsWholeAfter({ volatile }: Pick<Store, 'volatile'>): Promise<WholeAfter> {
  const row = await volatile
    .selectFrom('app_calls_begin')
    .select(['whole_after', 'lost_before'])
    .executeTakeFirst();
  if (!row) return { tokens: Infinity, apps: Infinity };
  return { tokens: row.lost_before, apps: Math.max(row.whole_after, row.lost_before) };
}

/** To be done before calls are added, the last of which came `at`: where the row was lost, so were the calls before these. */
export async function noteLostCalls(volatile: Kysely<VolatileTables>, at: number): Promise<void> {
  await volatile
    .insertInto('app_calls_begin')
    .values({ singleton: 1, whole_after: 0, lost_before: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** From now on nobody knows which calls came before. */
export async function doubtCalls({ volatile }: Pick<Store, 'volatile'>): Promise<void> {
  await volatile.deleteFrom('app_calls_begin').execute();
}
