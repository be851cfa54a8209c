import type { Database } from '../driver/store.ts';

/** The ids of an app's tokens, or of one account's tokens at the app, in order after an id. */
export async function listMappingIds(
  db: Database,
  { clientId, accountId }: { clientId: string; accountId?: string | undefined },
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('mappings')
    .select('id')
    .where('client_id', '=', clientId)
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId ?? ''))
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
