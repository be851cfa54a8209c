import { sql, type SqlBool } from 'kysely';
import type { Database } from '../driver/store.ts';

/** What the history says of an app and an account. */

interface EntriesWanted {
  clientId: string;
  accountId: string;
  action: 'deauthorized';
  /** Later than this. */
  after: number;
  /** Not later than this. */
  until: number;
}

/** Whether the history has an entry of this action for an app and account within a time. */
export async function hasEntryOfPair(
  db: Database,
  { clientId, accountId, action, after, until }: EntriesWanted,
): Promise<boolean> {
  const row = await db
    .selectFrom('events')
    .select('id')
    .where('client_id', '=', clientId)
    .where('account_id', '=', accountId)
    // Written out: the index of the ends of pairs has exactly this condition.
    .where(sql<SqlBool>`action = ${sql.lit(action)}`)
    .where('at', '>', after)
    .where('at', '<=', until)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
