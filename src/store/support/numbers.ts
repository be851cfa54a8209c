import { sql } from 'kysely';
import { newestCounts } from './desk-sources.ts';
import type { Database } from '../driver/store.ts';

/** The sums behind the numbers of support. No query reads all tokens. */

/** The most mails that are counted one by one. */
export const MAILS_MAX = 200_000;

/** PostgreSQL returns sums as texts. */
type Sum = number | string | null;

const WAITING = sql`(p.unmapped + p.reauthorization_required)`;

const SUMS = {
  active: sql`p.active`,
  waiting: WAITING,
  migrated: sql`p.migrated`,
  /** A person counts once per app. */
  people: sql`p.waiting_people`,
  /** Apps with tokens and without a waiting token, and apps with a waiting token. */
  done: sql`case when ${WAITING} = 0 and p.active + p.migrated > 0 then 1 else 0 end`,
  notDone: sql`case when ${WAITING} > 0 then 1 else 0 end`,
  /** Apps with any count. */
  counted: sql`1`,
};

type AppSums = Record<keyof typeof SUMS, number>;

/** The sums over all apps, as last counted. */
export async function sumApps(db: Database): Promise<AppSums> {
  const columns = Object.entries(SUMS).map(([name, what]) => sql`sum(${what}) as ${sql.ref(name)}`);
  const { rows } = await sql<Record<string, Sum>>`
    select ${sql.join(columns)} from ${newestCounts(db)} where a.retired_at is null`.execute(db);
  return Object.fromEntries(Object.keys(SUMS).map((name) => [name, Number(rows[0]?.[name] ?? 0)])) as AppSums;
}

/** How many mails ended since a time, sent or undeliverable; together at most `MAILS_MAX`. */
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
