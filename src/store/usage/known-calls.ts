import type { Kysely } from 'kysely';
import type { Store } from '../driver/store.ts';
import type { VolatileTables } from '../tables/tables.ts';

/**
 * Since when the kept calls are complete. A new database begins without calls. They are in the volatile database: a
 * crash of PostgreSQL, a promoted standby or a restored backup begins without them too. Then no page may say that no
 * calls came before.
 */

/** The moments after which the calls of tokens, and of apps, are complete; Infinity when unknown. */
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
 * Notes that calls are counted from a moment on, unless an earlier moment is noted. Call at the start of a bridge, and
 * before adding calls, with the time of the last one: when the row was lost, the calls before these were lost too.
 */
export async function noteCounting(volatile: Kysely<VolatileTables>, at: number): Promise<void> {
  await volatile
    .insertInto('app_calls_begin')
    .values({ singleton: 1, whole_after: 0, lost_before: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Says since when calls are counted, whatever was noted before. */
export async function countCallsSince({ volatile }: Pick<Store, 'volatile'>, at: number): Promise<void> {
  await volatile
    .insertInto('app_calls_begin')
    .values({ singleton: 1, whole_after: 0, lost_before: at })
    .onConflict((conflict) => conflict.column('singleton').doUpdateSet({ whole_after: 0, lost_before: at }))
    .execute();
}
