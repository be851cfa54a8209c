import { isOneOf } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';
import { oldIdsUnder } from './pinned-things.ts';
import { rowsUnderLegacyIds } from './under-legacy-ids.ts';

/** The ids of all tokens at these apps that a pin of an address (in lower case) gives to its account. */
export async function tokensAtApps(
  tx: Database,
  email: string,
  clientIds: readonly string[],
): Promise<string[]> {
  const named = await tx
    .selectFrom('mappings')
    .select('id')
    .where('account_id', 'is', null)
    .where('account_email', '=', email)
    .where(isOneOf(tx, 'client_id', clientIds))
    .execute();
  const followers = await rowsUnderLegacyIds(tx, await oldIdsUnder(tx, email));
  const followed = followers.tokens.filter(({ clientId }) => clientIds.includes(clientId));
  return [...named, ...followed].map(({ id }) => id);
}
