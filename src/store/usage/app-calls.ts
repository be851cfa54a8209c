import type { Insertable, Kysely } from 'kysely';
import { isOneOf } from '../driver/many-rows.ts';
import type { Store } from '../driver/store.ts';
import type { VolatileTables } from '../tables/tables.ts';

/**
 * The calls of each app, kept beside the calls of its tokens. The page of an app with very many tokens reads the calls
 * of the app, and is as exact and as fast as the page of a small app. A call counts for the app that its token belonged
 * to at the time of counting.
 */

type AppCalls = Insertable<VolatileTables['app_calls']>;
type Usage = Insertable<VolatileTables['usage']>;

const keyOf = ({ client_id, day, endpoint, carrier, user_agent, outcome }: AppCalls) =>
  [client_id, day, endpoint, carrier, user_agent, outcome].join('\n');

/** The apps of tokens, by mapping id. A rehearsal is counted like a token and has no app. */
async function appsOf({ durable }: Store, mappingIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await durable
    .selectFrom('mappings')
    .select(['id', 'client_id'])
    .where(isOneOf(durable, 'id', [...new Set(mappingIds)]))
    .execute();
  return new Map(rows.map(({ id, client_id }) => [id, client_id]));
}

/** These calls grouped by the apps of their tokens, in the order in which every process writes. */
export async function callsByApp(store: Store, rows: readonly Usage[]): Promise<AppCalls[]> {
  const apps = await appsOf(
    store,
    rows.map(({ mapping_id }) => mapping_id),
  );
  const sums = new Map<string, AppCalls>();
  for (const { mapping_id, day, endpoint, carrier, user_agent, outcome, calls, last_at } of rows) {
    const client_id = apps.get(mapping_id);
    if (client_id === undefined) continue;
    const row = { client_id, day, endpoint, carrier, user_agent, outcome, calls, last_at };
    const key = keyOf(row);
    const sum = sums.get(key);
    if (!sum) sums.set(key, row);
    else Object.assign(sum, { calls: sum.calls + calls, last_at: Math.max(sum.last_at, last_at) });
  }
  return [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}

/** Adds calls of apps to the stored counts. */
export async function addAppCalls(
  volatile: Kysely<VolatileTables>,
  rows: readonly AppCalls[],
): Promise<void> {
  if (rows.length === 0) return;
  await volatile
    .insertInto('app_calls')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['client_id', 'day', 'endpoint', 'carrier', 'user_agent', 'outcome'])
        .doUpdateSet((eb) => ({
          calls: eb('app_calls.calls', '+', eb.ref('excluded.calls')),
          last_at: eb
            .case()
            .when('app_calls.last_at', '<', eb.ref('excluded.last_at'))
            .then(eb.ref('excluded.last_at'))
            .else(eb.ref('app_calls.last_at'))
            .end(),
        })),
    )
    .execute();
}
