import { sql, type SqlBool } from 'kysely';
import type { Database } from '../driver/store.ts';

/** What the history says of an app and an account. */

interface Pair {
  clientId: string;
  accountId: string;
}

interface EntryOfPair extends Pair {
  /** A name of ours. */
  action: string;
}

/** The action is written out: the index of the ends of pairs has exactly this condition. */
const entriesOf = (db: Database, { clientId, accountId, action }: EntryOfPair) =>
  db
    .selectFrom('events')
    .select('id')
    .where('client_id', '=', clientId)
    .where('account_id', '=', accountId)
    .where(sql<SqlBool>`action = ${sql.lit(action)}`)
    .limit(1);

/** Whether the history tells since an entry that an app and account were parted, or that the account proved its address. */
export async function hasHappenedSince(db: Database, wanted: EntryOfPair, since: number): Promise<boolean> {
  return (await entriesOf(db, wanted).where('id', '>', since).executeTakeFirst()) !== undefined;
}

/** Whether somebody deauthorized an app for an account later than a moment, and not later than another. */
export async function wasDeauthorized(
  db: Database,
  pair: Pair,
  { after, until }: { after: number; until: number },
): Promise<boolean> {
  const entries = entriesOf(db, { ...pair, action: 'deauthorized' });
  return (await entries.where('at', '>', after).where('at', '<=', until).executeTakeFirst()) !== undefined;
}
