import type { Store } from '../driver/store.ts';

/** In how many comparisons the old and the new answer differed in a field of an endpoint. */
interface ShadowCount {
  endpoint: string;
  field: string;
  difference: string;
  times: number;
  last_at: number;
}

type ShadowCountKey = Pick<ShadowCount, 'endpoint' | 'field' | 'difference'>;

const keyOf = ({ endpoint, field, difference }: ShadowCountKey) => `${endpoint} ${field} ${difference}`;

/** Adds one to each of these counts, always in one order, so that two processes cannot wait for each other. */
export async function addShadowCounts(
  store: Store,
  counted: readonly ShadowCountKey[],
  now: number,
): Promise<void> {
  const ordered = counted.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  await store.volatile
    .insertInto('shadow_differences')
    .values(ordered.map((row) => ({ ...row, times: 1, last_at: now })))
    .onConflict((conflict) =>
      conflict.columns(['endpoint', 'field', 'difference']).doUpdateSet((eb) => ({
        times: eb('shadow_differences.times', '+', 1),
        last_at: eb.ref('excluded.last_at'),
      })),
    )
    .execute();
}

/** All counts, grouped by endpoint, the most frequent first. */
export async function listShadowCounts(store: Store): Promise<ShadowCount[]> {
  return store.volatile
    .selectFrom('shadow_differences')
    .selectAll()
    .orderBy('endpoint')
    .orderBy('times', 'desc')
    .orderBy('field')
    .orderBy('difference')
    .execute();
}

/** Forgets all counts. */
export async function clearShadowCounts(store: Store): Promise<void> {
  await store.volatile.deleteFrom('shadow_differences').execute();
}
