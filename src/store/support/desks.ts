import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { isSqlite } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';

/**
 * The rows on the desks of support. Each desk reads a limited number of keys by an index, never all rows. When there
 * are more rows, the desk says so.
 */

/** The most keys of one desk. One further key shows that there are more. */
export const DESK_MAX = 1000;

const READ = DESK_MAX + 1;

/** A row of a desk by its id. The lowest rank comes first. */
export interface DeskKey {
  id: string;
  rank: number;
}

/**
 * Repeats the condition of the index grants_unsettled_by_expiry, because SQLite uses a partial index only for the same
 * condition. After a take-over every grant is in doubt, so the rows are read in the order of that index.
 */
const IS_UNSETTLED = sql<SqlBool>`state in ('presenting', 'in_doubt')`;

/** Grants in doubt, or presented before a time without an outcome. The earliest end of the access token comes first. */
export async function doubtKeys(
  db: Database,
  { presentedBefore }: { presentedBefore: number },
): Promise<DeskKey[]> {
  return db
    .selectFrom('grants')
    .select(['id', 'access_expires_at as rank'])
    .where(IS_UNSETTLED)
    .where((eb) => eb.or([eb('state', '=', 'in_doubt'), eb('presented_at', '<=', presentedBefore)]))
    .orderBy('access_expires_at')
    .orderBy('id')
    .limit(READ)
    .execute();
}

/** Undeliverable mails that support has not dealt with, newest first. */
export async function undeliverableKeys(db: Database): Promise<DeskKey[]> {
  const rows = await db
    .selectFrom('mails')
    .select(['id', 'ended_at'])
    // Repeats the condition of the index mails_undeliverable.
    .where('state', '=', sql.lit('undeliverable'))
    .where('settled_at', 'is', null)
    .orderBy('ended_at', 'desc')
    .limit(READ)
    .execute();
  return rows.map(({ id, ended_at }) => ({ id, rank: -(ended_at ?? 0) }));
}

/** Hand-overs since a time without a confirmation by the app, oldest first. */
export async function handoverKeys(db: Database, { since }: { since: number }): Promise<DeskKey[]> {
  return db
    .selectFrom('handovers')
    .select(['grant_id as id', 'handed_at as rank'])
    .where('confirmed_at', 'is', null)
    .where('handed_at', '>=', since)
    .orderBy('handed_at')
    .limit(READ)
    .execute();
}

/** Active tokens whose app is not proven, newest first. */
export async function unprovenKeys(db: Database): Promise<DeskKey[]> {
  const rows = await db
    .selectFrom('mappings')
    .select(['id', 'created_at'])
    // Repeats the condition of the index mappings_unproven.
    .where('source', '=', sql.lit('observed'))
    .where('app_proven', '=', sql.lit(0))
    .where('state', '=', sql.lit('active'))
    .orderBy('created_at', 'desc')
    .limit(READ)
    .execute();
  return rows.map(({ id, created_at }) => ({ id, rank: -created_at }));
}

/** Later than any time in milliseconds that a person can mean. */
const AFTER_ALL = 1e13;

/** Extensions in force with an end before a time: first future ends, earliest first, then past ends, latest first. */
export async function extensionKeys(
  db: Database,
  { now, before }: { now: number; before: number },
): Promise<DeskKey[]> {
  const inForce = db.selectFrom('extensions').select(['id', 'until']).where('ended_at', 'is', null);
  const ahead = await inForce
    .where('until', '>', now)
    .where('until', '<', before)
    .orderBy('until')
    .limit(READ)
    .execute();
  const over = await inForce.where('until', '<=', now).orderBy('until', 'desc').limit(READ).execute();
  return [
    ...ahead.map(({ id, until }) => ({ id, rank: until })),
    ...over.map(({ id, until }) => ({ id, rank: AFTER_ALL - until })),
  ].slice(0, READ);
}

/**
 * Apps (`a`), each with its newest row of `progress` (`p`); an app that was never counted is left out. PostgreSQL would
 * read all days of all apps for the query that suits SQLite, so each database has its own query.
 */
export function newestCounts(db: Database): RawBuilder<unknown> {
  return isSqlite(db)
    ? sql`apps a join progress p on p.client_id = a.client_id
        and p.day = (select max(n.day) from progress n where n.client_id = a.client_id)`
    : sql`apps a cross join lateral
        (select * from progress n where n.client_id = a.client_id order by n.day desc limit 1) p`;
}

/** Where apps stand on the desk of waiting people: lower comes first. Of one place, the most people come first. */
export interface WaitingPlaces {
  /** The place of every app that has none of its own. */
  common: number;
  /** Apps with dates of their own. */
  own: ReadonlyArray<{ id: string; place: number }>;
}

/** More people than any app has, so the place outweighs the number of people in a rank. */
const PEOPLE = 1e9;

/** Apps for which people wait, as last counted, in the order of their ranks; and how many apps these are in all. */
export async function waitingKeys(
  db: Database,
  { common, own }: WaitingPlaces,
): Promise<{ keys: DeskKey[]; total: number }> {
  const json = JSON.stringify(own);
  const given = isSqlite(db)
    ? sql`(select value ->> 'id' as id, value ->> 'place' as place from json_each(${json}))`
    : sql`json_to_recordset(${json}) as o (id text, place bigint)`;
  const places = isSqlite(db) ? sql`${given} as o` : given;
  const { rows } = await sql<DeskKey & { total: number }>`
    select a.client_id as id, coalesce(o.place, ${sql.lit(common)}) * ${sql.lit(PEOPLE)} - p.waiting_people as rank,
      count(*) over () as total
    from ${newestCounts(db)} left join ${places} on o.id = a.client_id
    where a.retired_at is null and p.waiting_people > 0
    order by 2, a.client_id limit ${READ}`.execute(db);
  return { keys: rows.map(({ id, rank }) => ({ id, rank })), total: rows[0]?.total ?? 0 };
}
