import { sql, type SqlBool } from 'kysely';
import type { Database } from '../driver/store.ts';

/** The dates of waiting work that no process with a right clock wrote. */
interface WrongDates {
  /** Nothing waits until a later time. */
  latest: number;
  /** The same of revocations that are owed. */
  latestOwed: number;
  /** The same of the rest of a receiver. */
  latestRest: number;
  /** The date in place of a later one. No claim of now ends later, so nothing that is under way is begun a second time. */
  next: number;
}

/** Repeats the condition of the indexes, because SQLite uses a partial index only for the same condition. */
const IS_OPEN = sql<SqlBool>`state in ('due', 'sending')`;

/** Gives mails, messages, rests of webhooks and revocations that are owed a near date where theirs lies too far ahead. */
export async function redateRows(
  db: Database,
  { latest, latestOwed, latestRest, next }: WrongDates,
): Promise<void> {
  const next_at = next;
  await db.updateTable('mails').set({ next_at }).where(IS_OPEN).where('next_at', '>', latest).execute();
  await db
    .updateTable('webhook_deliveries')
    .set({ next_at })
    .where(IS_OPEN)
    .where('next_at', '>', latest)
    .execute();
  await db.updateTable('webhooks').set({ rest_until: next }).where('rest_until', '>', latestRest).execute();
  // Each kind has an index of its own.
  for (const attempts of [sql<SqlBool>`attempts = 0`, sql<SqlBool>`attempts > 0`])
    await db
      .updateTable('owed_revocations')
      .set({ next_at })
      .where(attempts)
      .where('next_at', '>', latestOwed)
      .execute();
}
