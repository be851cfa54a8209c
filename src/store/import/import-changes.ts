import type { Database } from '../driver/store.ts';

/** What a repeated import changes of rows that are there, one at a time. */

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
  account_email?: string | null;
  last_used_at?: number;
  app_proven?: 1;
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
