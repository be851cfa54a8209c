import type { Database } from './store.ts';

/** What a repeated import changes of rows that are there, one at a time; and what an id pair moves, all at once. */

interface AppChanges {
  name?: string;
  owner_account_id?: string;
  owner_email?: string;
}

/** Changes what an app is called or whom it belongs to. */
export async function changeApp(tx: Database, clientId: string, changes: AppChanges): Promise<void> {
  await tx.updateTable('apps').set(changes).where('client_id', '=', clientId).execute();
}

interface MappingChanges {
  client_id?: string;
  account_id?: string;
  account_email?: string;
  last_used_at?: number;
}

/** Changes what is known of a token; its state stays. */
export async function changeMapping(
  tx: Database,
  id: string,
  changes: MappingChanges & { updated_at: number },
): Promise<void> {
  await tx.updateTable('mappings').set(changes).where('id', '=', id).execute();
}

interface PairChanges {
  modern_id?: string;
  email?: string;
}

/** Fills in what an account's pair did not say. */
export async function changeAccountPair(tx: Database, legacyId: string, changes: PairChanges): Promise<void> {
  await tx
    .updateTable('id_pairs')
    .set(changes)
    .where('kind', '=', 'account')
    .where('legacy_id', '=', legacyId)
    .execute();
}

/**
 * Imported apps and waiting imported tokens that were given one of these ids for their account; without tokens of an
 * account of this id that was seen at the modern side.
 */
export async function rowsUnderLegacyIds(tx: Database, legacyIds: readonly string[]) {
  const apps = await tx
    .selectFrom('apps')
    .select(['client_id', 'owner_account_id as account_id'])
    .where('source', '=', 'imported')
    .where('owner_account_id', 'in', legacyIds)
    .execute();
  const tokens = await tx
    .selectFrom('mappings')
    .innerJoin('accounts', 'accounts.account_id', 'mappings.account_id')
    .select(['mappings.id', 'mappings.client_id', 'mappings.account_id'])
    .where('mappings.source', '=', 'imported')
    .where('mappings.state', '=', 'unmapped')
    .where('mappings.account_id', 'in', legacyIds)
    .where('accounts.email', 'is', null)
    .execute();
  return { apps, tokens };
}

/** The pairs of an app and account, among these, that a grant serves. */
export async function pairsWithGrants(
  tx: Database,
  { clientIds, accountIds }: { clientIds: readonly string[]; accountIds: readonly string[] },
): Promise<Array<{ clientId: string; accountId: string }>> {
  if (clientIds.length === 0 || accountIds.length === 0) return [];
  return tx
    .selectFrom('grants')
    .select(['client_id as clientId', 'account_id as accountId'])
    .where('client_id', 'in', clientIds)
    .where('account_id', 'in', accountIds)
    .where('state', '<>', 'dead')
    .orderBy('client_id')
    .orderBy('account_id')
    .execute();
}
