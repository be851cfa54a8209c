import { type ExpressionBuilder, sql } from 'kysely';
import type { Database } from '../driver/store.ts';
import type { DeathCause, Tables } from '../tables/tables.ts';

/** Grants that ended within a time span, by the index grants_dead_by_cause. No query reads more than its limit. */

export interface EndedGrantSpan {
  /** Unix milliseconds; `to` is exclusive. */
  from: number;
  to: number;
}

interface CauseQuery extends EndedGrantSpan {
  cause: DeathCause;
  /** Of this app alone. */
  clientId?: string | undefined;
}

/** The place where a list continues: after this grant, newest first. */
export interface EndedGrantPosition {
  at: number;
  id: string;
}

export interface EndedGrantKey extends EndedGrantPosition {
  cause: DeathCause;
  /** Whether a token of the grant's app and account has stopped and is not connected again. */
  hasStopped: boolean;
  /** Whether the app is retired, so that no consent makes its tokens work. */
  isAppRetired: boolean;
}

/** A live grant serves all tokens of its app and account. */
const HAS_STOPPED = sql<number>`case when exists (select 1 from mappings t
    where t.client_id = g.client_id and t.account_id = g.account_id and t.state = 'reauthorization_required')
  and not exists (select 1 from grants o
    where o.client_id = g.client_id and o.account_id = g.account_id and o.state <> 'dead')
  then 1 else 0 end`;

const APP_RETIRED_AT = sql<number | null>`(select a.retired_at from apps a where a.client_id = g.client_id)`;

const isWithin =
  ({ cause, from, to, clientId }: CauseQuery) =>
  (eb: ExpressionBuilder<Tables & { g: Tables['grants'] }, 'g'>) =>
    eb.and([
      eb('g.state', '=', sql.lit('dead')),
      eb('g.dead_cause', '=', cause),
      eb('g.dead_at', '>=', from),
      eb('g.dead_at', '<', to),
      ...(clientId === undefined ? [] : [eb('g.client_id', '=', clientId)]),
    ]);

/** How many grants ended for one cause, or how many of them are of one app, among up to `limit` that are read. */
export async function countEnded(
  db: Database,
  { clientId, ...of }: CauseQuery,
  limit: number,
): Promise<{ n: number; read: number }> {
  // Without an app the index alone is read.
  const isMeant =
    clientId === undefined
      ? sql<number>`1`
      : sql<number>`case when g.client_id = ${clientId} then 1 else 0 end`;
  const some = db.selectFrom('grants as g').select(isMeant.as('meant')).where(isWithin(of)).limit(limit);
  const row = await db
    .selectFrom(some.as('some'))
    .select([sql<number | string>`count(*)`.as('read'), sql<number | string | null>`sum(meant)`.as('n')])
    .executeTakeFirstOrThrow();
  return { n: Number(row.n ?? 0), read: Number(row.read) };
}

/** How many grants ended, by cause. Reads each counted grant once, in the index. */
export async function countEndedByCause(
  db: Database,
  { causes, from, to }: EndedGrantSpan & { causes: readonly DeathCause[] },
): Promise<Array<{ cause: DeathCause; n: number }>> {
  const rows = await db
    .selectFrom('grants as g')
    .select((eb) => ['g.dead_cause as cause', eb.fn.countAll<number | string>().as('n')])
    .where('g.state', '=', sql.lit('dead'))
    .where('g.dead_cause', 'in', causes)
    .where('g.dead_at', '>=', from)
    .where('g.dead_at', '<', to)
    .groupBy('g.dead_cause')
    .$narrowType<{ cause: DeathCause }>()
    .execute();
  return rows.map(({ cause, n }) => ({ cause, n: Number(n) }));
}

/** How many grants ended by app, among up to `limit` that ended within a span; the app with the most comes first. */
export async function countEndedByApp(
  db: Database,
  { causes, ...of }: EndedGrantSpan & { causes: readonly DeathCause[] },
  limit: number,
): Promise<{ apps: Array<{ client_id: string; name: string; n: number }>; read: number }> {
  const some = db
    .selectFrom('grants as g')
    .select('g.client_id')
    .where('g.state', '=', sql.lit('dead'))
    .where('g.dead_cause', 'in', causes)
    .where('g.dead_at', '>=', of.from)
    .where('g.dead_at', '<', of.to)
    .limit(limit)
    .as('some');
  const rows = await db
    .selectFrom(some)
    .innerJoin('apps as a', 'a.client_id', 'some.client_id')
    .select((eb) => ['a.client_id', 'a.name', eb.fn.countAll<number | string>().as('n')])
    .groupBy(['a.client_id', 'a.name'])
    .execute();
  const apps = rows.map((row) => ({ ...row, n: Number(row.n) })).toSorted((one, other) => other.n - one.n);
  return { apps, read: apps.reduce((sum, { n }) => sum + n, 0) };
}

/** Where a page of ended grants begins: after a grant, or, with `isBack`, before it. */
interface EndedFrom {
  from: EndedGrantPosition | undefined;
  isBack: boolean;
}

async function keysOf(
  db: Database,
  of: CauseQuery & { at: EndedFrom },
  limit: number,
): Promise<EndedGrantKey[]> {
  const { cause } = of;
  const { from, isBack } = of.at;
  const [beside, order] = isBack ? ([sql`>`, 'asc'] as const) : ([sql`<`, 'desc'] as const);
  const rows = await db
    .selectFrom('grants as g')
    .select(['g.id', 'g.dead_at', HAS_STOPPED.as('has_stopped'), APP_RETIRED_AT.as('app_retired_at')])
    .where(isWithin(of))
    .$if(from !== undefined, (query) =>
      query.where(sql<boolean>`(g.dead_at, g.id) ${beside} (${from?.at ?? 0}, ${from?.id ?? ''})`),
    )
    .orderBy('g.dead_at', order)
    .orderBy('g.id', order)
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    at: row.dead_at ?? 0,
    cause,
    hasStopped: row.has_stopped === 1,
    isAppRetired: row.app_retired_at !== null,
  }));
}

const newestFirst = (one: EndedGrantPosition, other: EndedGrantPosition) =>
  other.at - one.at || (one.id < other.id ? 1 : -1);

interface EndedKeysQuery extends EndedGrantSpan {
  causes: readonly DeathCause[];
  clientId?: string | undefined;
  at: EndedFrom;
}

/**
 * The grants that ended for some causes, up to `limit`: newest first from a place on, or oldest first from a place back.
 */
export async function endedKeys(
  db: Database,
  { causes, ...of }: EndedKeysQuery,
  limit: number,
): Promise<EndedGrantKey[]> {
  const found = await Promise.all(causes.map((cause) => keysOf(db, { ...of, cause }, limit)));
  const sorted = found.flat().toSorted(newestFirst);
  return (of.at.isBack ? sorted.toReversed() : sorted).slice(0, limit);
}
