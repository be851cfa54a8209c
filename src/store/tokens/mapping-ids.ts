import type { Database } from '../driver/store.ts';

/** The ids of an app's tokens, or of those that one account has of it, in their order after one of them. */
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
