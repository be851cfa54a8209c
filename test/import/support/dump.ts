import { createHash } from 'node:crypto';
import { type DatabaseLocation, openStore } from '../../../src/store/driver/open-store.ts';
import { sql } from 'kysely';

/** What an import leaves behind, without what differs from run to run: random ids and the times of the run. */
const WHAT = {
  apps: 'client_id, name, owner_account_id, owner_email, source, created_at',
  app_secrets: 'client_id, secret_digest, created_at, retired_at',
  app_callbacks: 'client_id, uri',
  app_contacts: 'client_id, address',
  accounts: 'account_id, email, name',
  id_pairs: 'kind, legacy_id, modern_id, email, source',
  mappings: `token_digest, hint_first, hint_last, client_id, account_id, account_email, grant_id, state, reason, source,
    created_at, last_used_at`,
  events: 'action, actor, client_id, account_id, reason',
};

/** For each table the number of its rows and one digest of them all; keys and what they sealed must be the same. */
export async function dump(
  location: DatabaseLocation,
): Promise<Record<string, [rows: number, digest: string]>> {
  const store = await openStore(location);
  try {
    const found: Record<string, [number, string]> = {};
    for (const [table, columns] of Object.entries(WHAT)) {
      const { rows } = await sql<object>`select ${sql.raw(columns)} from ${sql.table(table)}`.execute(
        store.durable,
      );
      const lines = rows.map((row) => JSON.stringify(row)).toSorted();
      found[table] = [rows.length, createHash('sha256').update(lines.join('\n')).digest('hex')];
    }
    return found;
  } finally {
    await store.close();
  }
}
