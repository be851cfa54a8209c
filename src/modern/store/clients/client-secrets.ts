import { createHash } from 'node:crypto';
import { newOpaqueValue } from '../../../shared/ids.ts';
import type { Database } from '../database.ts';
import type { SecretDigester } from '../digests.ts';

export interface SecretRecord {
  /** Names the secret in addresses and reveals nothing about the secret. */
  id: string;
  /** The last four characters of the secret. */
  hint: string;
  /** ISO 8601. */
  createdAt: string;
}

/** Two secrets let an app change over without a gap. */
export const MAX_SECRETS = 2;

interface Row {
  digest: string;
  hint: string;
  createdAt: string;
}

const LIST = `
  select digest, hint, created_at as createdAt from client_secrets where client_id = ? order by created_at, digest`;

// Keeps the last secret: a confidential client without a secret could not authenticate.
const REMOVE = `
  delete from client_secrets where client_id = @clientId and digest = @digest
    and (select count(*) from client_secrets where client_id = @clientId) > 1`;

const idOf = (digest: string) => createHash('sha256').update(digest).digest('hex').slice(0, 24);

/** The secrets of registered clients, without a check of the owner. The store keeps only digests. */
export function createClientSecrets(db: Database, digest: SecretDigester) {
  const list = db.prepare<[string], Row>(LIST);
  const insert = db.prepare(
    'insert into client_secrets (client_id, digest, hint, created_at) values (?, ?, ?, ?)',
  );
  const remove = db.prepare(REMOVE);
  return {
    ofClient: (clientId: string): SecretRecord[] =>
      list.all(clientId).map((row) => ({ id: idOf(row.digest), hint: row.hint, createdAt: row.createdAt })),
    /** Returns the new secret, which cannot be read again. */
    add(clientId: string): string {
      const secret = newOpaqueValue();
      insert.run(clientId, digest(secret), secret.slice(-4), new Date().toISOString());
      return secret;
    },
    /** False for an unknown secret and for the last secret. */
    remove(clientId: string, id: string): boolean {
      const found = list.all(clientId).find((row) => idOf(row.digest) === id);
      return found !== undefined && remove.run({ clientId, digest: found.digest }).changes === 1;
    },
  };
}
