import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { isSqlite } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';

/**
 * What stands on the desks of support. Of each desk so many keys are read at most, by an index: where more stand there, it
 * is said that they are more, and nothing goes through all of them.
 */

/** Keys of one desk; one more says that there are more. */
export const DESK_MAX = 1000;

const READ = DESK_MAX + 1;

/** A row of a desk by its id; the lowest rank comes first. */
export interface DeskKey {
  id: string;
  rank: number;
}

/** In the words of the index grants_unsettled, for SQLite takes it for nothing else. */
const IS_UNSETTLED = sql<SqlBool>`state in ('presenting', 'in_doubt')`;

/** Grants in doubt, or presented before a time without an outcome; the first access token to expire comes first. */
export async function doubtKeys(
  db: Database,
  { presentedBefore }: { presentedBefore: number },
): Promise<DeskKey[]> {
  return db
    .selectFrom('grants')
    .select(['id', 'access_expires_at as rank'])
    .where(IS_UNSETTLED)
    .where((eb) => eb.or([eb('state', '=', 'in_doubt'), eb('presented_at', '<=', presentedBefore)]))
    .orderBy('retry_at')
    .limit(READ)
    .execute();
}

/** Mails that reached nobody and that nobody has settled, newest first. */
export async function undeliverableKeys(db: Database): Promise<DeskKey[]> {
  const rows = await db
    .selectFrom('mails')
    .select(['id', 'ended_at'])
    // In the words of the index mails_undeliverable.
    .where('state', '=', sql.lit('undeliverable'))
    .where('settled_at', 'is', null)
    .orderBy('ended_at', 'desc')
    .limit(READ)
    .execute();
  return rows.map(({ id, ended_at }) => ({ id, rank: -(ended_at ?? 0) }));
}

/** Hand-overs since a time that no app has confirmed, oldest first. */
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

/** Tokens that work though nobody was asked whether they belong to their app, the newest first. */
export async function unprovenKeys(db: Database): Promise<DeskKey[]> {
  const rows = await db
    .selectFrom('mappings')
    .select(['id', 'created_at'])
    // In the words of the index mappings_unproven.
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

/** Extensions in force that end before a time: those ahead by their end, then those that are over, the last one first. */
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
 * Apps (`a`), each with its newest row of `progress` (`p`); an app that was never counted is left out. PostgreSQL would read
 * all days of all apps for what SQLite looks up, so each is asked in its own way.
 */
export function newestCounts(db: Database): RawBuilder<unknown> {
  return isSqlite(db)
    ? sql`apps a join progress p on p.client_id = a.client_id
        and p.day = (select max(n.day) from progress n where n.client_id = a.client_id)`
    : sql`apps a cross join lateral
        (select * from progress n where n.client_id = a.client_id order by n.day desc limit 1) p`;
}

/** Apps for which people wait, as last counted; the most people come first. */
export async function waitingKeys(db: Database): Promise<DeskKey[]> {
  const { rows } = await sql<{ id: string; people: number }>`
    select a.client_id as id, p.waiting_people as people from ${newestCounts(db)}
    where a.retired_at is null and p.waiting_people > 0
    order by p.waiting_people desc, a.client_id limit ${READ}`.execute(db);
  return rows.map(({ id, people }) => ({ id, rank: -people }));
}
