import type { Database } from '../driver/store.ts';
import { changedAt } from '../tokens/changed-at.ts';

/** The changes that a repeated import makes to existing rows, one row at a time. */

interface AppChanges {
  name?: string;
  owner_account_id?: string;
  owner_email?: string;
}

/** Changes the name or the owner of an app. */
export async function changeApp(tx: Database, clientId: string, changes: AppChanges): Promise<void> {
  await tx.updateTable('apps').set(changes).where('client_id', '=', clientId).execute();
}

interface MappingChanges {
  client_id?: string;
  account_id?: string;
  account_email?: string | null;
  legacy_account_id?: string;
  last_used_at?: number;
  app_proven?: 1;
}

/** Changes the data of a token, except its state. */
export async function changeMapping(
  tx: Database,
  id: string,
  { now, ...changes }: MappingChanges & { now: number },
): Promise<void> {
  await tx
    .updateTable('mappings')
    .set({ ...changes, updated_at: changedAt(now) })
    .where('id', '=', id)
    .execute();
}

interface PairChanges {
  modern_id?: string;
  email?: string;
}

/** Fills in missing fields of an account's pair. */
export async function changeAccountPair(tx: Database, legacyId: string, changes: PairChanges): Promise<void> {
  await tx
    .updateTable('id_pairs')
    .set(changes)
    .where('kind', '=', 'account')
    .where('legacy_id', '=', legacyId)
    .execute();
}
