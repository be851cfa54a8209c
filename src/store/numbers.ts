import { sql } from 'kysely';
import { newestCounts } from './desks.ts';
import { isOneOf } from './many-rows.ts';
import type { PageTables } from './page-tables.ts';
import type { Database } from './store.ts';
import type { DeathCause } from './tables.ts';

/** What the numbers of support are added up from; nothing here goes through all tokens. */

/** Grants, and mails, that are counted one by one at most; of what is more, the newest grants count. */
export const DEATHS_MAX = 20_000;
export const MAILS_MAX = 200_000;

/** PostgreSQL answers sums as texts. */
type Sum = number | string | null;

const WAITING = sql`(p.unmapped + p.reauthorization_required)`;

const SUMS = {
  active: sql`p.active`,
  waiting: WAITING,
  migrated: sql`p.migrated`,
  /** Once for each app. */
  people: sql`p.waiting_people`,
  /** Apps that have tokens none of which waits, and apps of which one does. */
  done: sql`case when ${WAITING} = 0 and p.active + p.migrated > 0 then 1 else 0 end`,
  notDone: sql`case when ${WAITING} > 0 then 1 else 0 end`,
  /** Apps that were counted at all. */
  counted: sql`1`,
};

type Sums = Record<keyof typeof SUMS, number>;

/** All apps together, as last counted. */
export async function sumApps(db: Database): Promise<Sums> {
  const columns = Object.entries(SUMS).map(([name, what]) => sql`sum(${what}) as ${sql.ref(name)}`);
  const { rows } = await sql<Record<string, Sum>>`
    select ${sql.join(columns)} from ${newestCounts(db)} where a.retired_at is null`.execute(db);
  return Object.fromEntries(Object.keys(SUMS).map((name) => [name, Number(rows[0]?.[name] ?? 0)])) as Sums;
}

/** How many mails ended since a time: handed over, or reached nobody; up to the bound together. */
export async function countMails(
  db: Database,
  since: number,
): Promise<{ sent: number; undeliverable: number }> {
  const read = db
    .selectFrom('mails')
    .select('state')
    .where(sql<boolean>`state in ('sent', 'undeliverable')`)
    .where('ended_at', '>=', since)
    .limit(MAILS_MAX)
    .as('m');
  const rows = await db
    .selectFrom(read)
    .select((eb) => ['m.state', eb.fn.countAll<number>().as('n')])
    .groupBy('m.state')
    .execute();
  const of = (state: string) => rows.find((row) => row.state === state)?.n ?? 0;
  return { sent: of('sent'), undeliverable: of('undeliverable') };
}

const DAY_MS = sql.lit(86_400_000);

export interface Deaths {
  /** Days since 1970 (UTC). */
  day: number;
  cause: DeathCause | null;
  n: number;
}

/** How many grants died since a time, by day and cause. */
export async function countDeaths(db: Database, since: number): Promise<Deaths[]> {
  const read = db
    .selectFrom('grants')
    .select([sql<number>`dead_at / ${DAY_MS}`.as('day'), 'dead_cause as cause'])
    .where('state', '=', sql.lit('dead'))
    .where('dead_at', '>=', since)
    .orderBy('dead_at', 'desc')
    .limit(DEATHS_MAX)
    .as('g');
  return db
    .selectFrom(read)
    .select((eb) => ['g.day', 'g.cause', eb.fn.countAll<number>().as('n')])
    .groupBy(['g.day', 'g.cause'])
    .execute();
}

/** The next apps in the order of their ids, those that are retired too. */
export async function appsAfter(
  db: Database,
  after: string,
  limit: number,
): Promise<Array<{ client_id: string; name: string }>> {
  return db
    .selectFrom('apps')
    .select(['client_id', 'name'])
    .where('client_id', '>', after)
    .orderBy('client_id')
    .limit(limit)
    .execute();
}

type Progress = PageTables['progress'];

function byAppAndDay(one: Progress, other: Progress): number {
  if (one.client_id !== other.client_id) return one.client_id < other.client_id ? -1 : 1;
  return one.day < other.day ? -1 : 1;
}

/**
 * How the tokens of some apps stood since a day: from the last row that is not after it, those of each app in the order of
 * their days.
 */
export async function progressSince(
  db: Database,
  clientIds: readonly string[],
  sinceDay: string,
): Promise<Progress[]> {
  const ofThese = db.selectFrom('progress').where(isOneOf(db, 'client_id', clientIds));
  const before = ofThese
    .select((eb) => ['client_id', eb.fn.max('day').as('day')])
    .where('day', '<=', sinceDay)
    .groupBy('client_id')
    .as('first');
  const first = await db
    .selectFrom('progress as p')
    .innerJoin(before, (join) =>
      join.onRef('first.client_id', '=', 'p.client_id').onRef('first.day', '=', 'p.day'),
    )
    .selectAll('p')
    .execute();
  const later = await ofThese.selectAll().where('day', '>', sinceDay).execute();
  return [...first, ...later].toSorted(byAppAndDay);
}
