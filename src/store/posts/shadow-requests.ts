import { sql, type SqlBool } from 'kysely';
import type { Store } from '../driver/store.ts';

/**
 * How many requests comparisons of passed reads have taken from the budget of a client of the new API, counted over all
 * processes.
 */

interface RequestBatch {
  modernClientId: string;
  /** How many requests are to be sent; at most `limit`. */
  requests: number;
  /** How many requests may be sent in one window. */
  limit: number;
  /** A window that began before this time is over. */
  since: number;
  now: number;
}

/** Counts requests that are about to be sent; false when there would be too many, and then counts none. */
export async function takeShadowRequests(store: Store, taking: RequestBatch): Promise<boolean> {
  const { modernClientId, requests, limit, since, now } = taking;
  // A window that begins later was written by a wrong clock.
  const isOver = sql<SqlBool>`(shadow_requests.begun_at <= ${since} or shadow_requests.begun_at > ${now})`;
  const row = await store.volatile
    .insertInto('shadow_requests')
    .values({ modern_client_id: modernClientId, begun_at: now, requests })
    .onConflict((conflict) =>
      conflict
        .column('modern_client_id')
        .doUpdateSet((eb) => ({
          begun_at: eb.case().when(isOver).then(now).else(eb.ref('shadow_requests.begun_at')).end(),
          requests: eb
            .case()
            .when(isOver)
            .then(requests)
            .else(eb('shadow_requests.requests', '+', requests))
            .end(),
        }))
        .where(sql<SqlBool>`${isOver} or shadow_requests.requests + ${requests} <= ${limit}`),
    )
    .returning('modern_client_id')
    .executeTakeFirst();
  return row !== undefined;
}
