import { sql } from 'kysely';
import type { Database } from '../driver/store.ts';

/**
 * How many mails with reminders of each stage were made before a moment and have not left. Of all open mails the `limit` are
 * looked at whose next attempt comes first.
 */
export async function countOverdue(
  db: Database,
  { before, limit }: { before: number; limit: number },
): Promise<Array<{ stage: string; n: number }>> {
  const open = db
    .selectFrom('mails')
    .select(['id', 'created_at'])
    // Repeats the condition of the index, because SQLite uses a partial index only for the same condition.
    .where(sql<boolean>`state in ('due', 'sending')`)
    .orderBy('next_at')
    .limit(limit);
  const rows = await db
    .selectFrom(open.as('open_mails'))
    .innerJoin('reminders', 'reminders.mail_id', 'open_mails.id')
    .select((eb) => ['stage', eb.fn.count<number | string>('open_mails.id').distinct().as('n')])
    .where('open_mails.created_at', '<', before)
    .where('dropped_at', 'is', null)
    .groupBy('stage')
    .execute();
  return rows.map(({ stage, n }) => ({ stage, n: Number(n) }));
}
