import type { Database } from '../driver/store.ts';

/** The time zone that the new API last reported for an account. */
export async function findZone(db: Database, accountId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('accounts')
    .select('timezone')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row?.timezone ?? undefined;
}
