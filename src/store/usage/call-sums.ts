import { type Kysely, sql, type SqlBool } from 'kysely';
import { isOneOf } from '../driver/many-rows.ts';
import type { Store } from '../driver/store.ts';
import type { Tables } from '../tables/tables.ts';
import { givenTokens, type TokenOfApp } from '../tokens/mapping-ids.ts';

/** The sums of the calls of some tokens, or of all tokens of an app. */

/** The callers: these tokens, or an app. */
export type Callers = { ids: readonly string[] } | { clientId: string };

/** The calls of one kind, for many tokens together. */
export interface CallSum {
  endpoint: string;
  carrier: string;
  user_agent: string;
  calls: number;
  /** The served calls. */
  answered: number;
  /** The refused calls. */
  refused: number;
  last_at: number;
  /** The last call that was not refused; null where there is none. */
  taken_at: number | null;
}

/** The calls of one kind on one day (`YYYY-MM-DD`, UTC), for many tokens together. */
export interface DayCalls {
  day: string;
  endpoint: string;
  carrier: string;
  calls: number;
  /** The refused calls. */
  refused: number;
}

/** The rows of the callers since a day. Both tables have the columns that are read from `c`. */
function rowsOf({ volatile }: Store, callers: Callers, sinceDay: string) {
  const isApp = 'clientId' in callers;
  // The condition only asks the database for its dialect, which is the same for both databases of a store.
  const dialect = volatile as unknown as Kysely<Tables>;
  const isTheirs = isApp
    ? sql<SqlBool>`c.client_id = ${callers.clientId}`
    : isOneOf(dialect, 'c.mapping_id', callers.ids);
  return sql`from ${sql.table(isApp ? 'app_calls' : 'usage')} as c where ${isTheirs} and c.day >= ${sinceDay}`;
}

const OTHERS = sql`endpoint, carrier`;

/** PostgreSQL returns a sum of integers as a decimal, in a text. */
type WithSums<Row, Column extends keyof Row> = Omit<Row, Column> & Record<Column, number | string>;

/** The most frequent kinds of calls since a day (`YYYY-MM-DD`), the most frequent first. */
export async function sumCalls(
  store: Store,
  callers: Callers,
  { sinceDay, limit }: { sinceDay: string; limit: number },
): Promise<CallSum[]> {
  const { rows } = await sql<WithSums<CallSum, 'calls' | 'answered' | 'refused'>>`
    select ${OTHERS}, user_agent, sum(calls) as calls,
      sum(case when outcome = 'ok' then calls else 0 end) as answered,
      sum(case when outcome = 'refused' then calls else 0 end) as refused,
      max(last_at) as last_at, max(case when outcome <> 'refused' then last_at end) as taken_at
    ${rowsOf(store, callers, sinceDay)}
    group by ${OTHERS}, user_agent
    order by sum(calls) desc, ${OTHERS}, user_agent
    limit ${limit}`.execute(store.volatile);
  return rows.map((row) => ({
    ...row,
    calls: Number(row.calls),
    answered: Number(row.answered),
    refused: Number(row.refused),
  }));
}

/** The last call since a day (`YYYY-MM-DD`). */
export async function findLastCall(
  store: Store,
  callers: Callers,
  sinceDay: string,
): Promise<{ last_at: number; user_agent: string; outcome: string } | undefined> {
  const { rows } = await sql<{ last_at: number; user_agent: string; outcome: string }>`
    select last_at, user_agent, outcome ${rowsOf(store, callers, sinceDay)} order by last_at desc limit 1`.execute(
    store.volatile,
  );
  return rows[0];
}

/** The calls since a day, by day, endpoint and carrier. */
export async function sumDays(store: Store, callers: Callers, sinceDay: string): Promise<DayCalls[]> {
  const { rows } = await sql<WithSums<DayCalls, 'calls' | 'refused'>>`
    select day, ${OTHERS}, sum(calls) as calls,
      sum(case when outcome = 'refused' then calls else 0 end) as refused
    ${rowsOf(store, callers, sinceDay)}
    group by day, ${OTHERS}
    order by day`.execute(store.volatile);
  return rows.map((row) => ({ ...row, calls: Number(row.calls), refused: Number(row.refused) }));
}

/** The calls of these apps since a day, by app and day, as they are kept for whole apps. */
export async function sumDaysOfApps(
  { volatile }: Store,
  clientIds: readonly string[],
  sinceDay: string,
): Promise<Array<{ client_id: string; day: string; calls: number }>> {
  // The condition only asks the database for its dialect, which is the same for both databases of a store.
  const isTheirs = isOneOf(volatile as unknown as Kysely<Tables>, 'client_id', clientIds);
  const { rows } = await sql<{ client_id: string; day: string; calls: number | string }>`
    select client_id, day, sum(calls) as calls from app_calls where ${isTheirs} and day >= ${sinceDay}
    group by client_id, day`.execute(volatile);
  return rows.map((row) => ({ ...row, calls: Number(row.calls) }));
}

/** The calls of these tokens since a day, by app and day. */
export async function sumDaysByApp(
  { volatile }: Store,
  tokens: readonly TokenOfApp[],
  sinceDay: string,
): Promise<Array<{ client_id: string; day: string; calls: number }>> {
  const { rows } = await sql<{ client_id: string; day: string; calls: number | string }>`
    select o.client_id, c.day, sum(c.calls) as calls from ${givenTokens(volatile, tokens)} cross join usage as c
    where c.mapping_id = o.id and c.day >= ${sinceDay} group by o.client_id, c.day`.execute(volatile);
  return rows.map((row) => ({ ...row, calls: Number(row.calls) }));
}
