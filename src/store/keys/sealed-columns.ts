import { sql } from 'kysely';
import type { Database } from '../driver/store.ts';

/** Every column with sealed values, for work that changes the key under all of them. */

export interface SealedColumn {
  table: 'grants' | 'authorization_requests' | 'owed_revocations' | 'modern_clients' | 'webhook_secrets';
  column:
    | 'access_token_sealed'
    | 'refresh_token_sealed'
    | 'state_sealed'
    | 'verifier_sealed'
    | 'token_sealed'
    | 'secret_sealed'
    | 'signing_sealed';
}

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'grants', column: 'access_token_sealed' },
  { table: 'grants', column: 'refresh_token_sealed' },
  { table: 'authorization_requests', column: 'state_sealed' },
  { table: 'authorization_requests', column: 'verifier_sealed' },
  { table: 'owed_revocations', column: 'token_sealed' },
  { table: 'modern_clients', column: 'secret_sealed' },
  { table: 'webhook_secrets', column: 'signing_sealed' },
];

/** One sealed value with the parts of its place; `version` is null outside grants. */
export interface SealedRow {
  id: string;
  version: number | null;
  sealed: string;
}

const withKey = (keyId: string) => `${keyId}.%`;

/** Values that are sealed with any key but the given key, by id. */
export async function listSealedOtherwise(
  db: Database,
  { table, column }: SealedColumn,
  page: { keyId: string; after: string; limit: number },
): Promise<SealedRow[]> {
  const version = table === 'grants' ? sql.ref('version') : sql`null`;
  const { rows } = await sql<SealedRow>`
    select id, ${version} as version, ${sql.ref(column)} as sealed from ${sql.table(table)}
    where ${sql.ref(column)} not like ${withKey(page.keyId)} and id > ${page.after}
    order by id limit ${page.limit}`.execute(db);
  return rows;
}

/** How many values of a column are sealed with a key; with `otherwise`, with any other key. */
export async function countSealed(
  db: Database,
  { table, column }: SealedColumn,
  { keyId, otherwise = false }: { keyId: string; otherwise?: boolean },
): Promise<number> {
  const operator = otherwise ? sql`not like` : sql`like`;
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from ${sql.table(table)} where ${sql.ref(column)} ${operator} ${withKey(keyId)}`.execute(
    db,
  );
  return rows[0]?.n ?? 0;
}

/**
 * Replaces a sealed value by a newly sealed value, if the column still holds `from`; returns whether it was replaced.
 */
export async function replaceSealed(
  tx: Database,
  { table, column }: SealedColumn,
  { id, from, to }: { id: string; from: string; to: string },
): Promise<boolean> {
  const result = await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${to}
    where id = ${id} and ${sql.ref(column)} = ${from}`.execute(tx);
  return result.numAffectedRows === 1n;
}
