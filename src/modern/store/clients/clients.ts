import { timingSafeEqual } from 'node:crypto';
import type { AdapterPayload } from '../../provider/oidc.ts';
import type { ClientSettings } from '../../settings.ts';
import type { Database } from '../database.ts';
import type { SecretDigester } from '../digests.ts';

interface ClientRow {
  client_id: string;
  name: string;
  confidential: number;
  redirect_uris: string;
  /** All valid digests, joined by spaces. Null when the client has no secret. */
  digests: string | null;
}

export type Clients = ReturnType<typeof createClients>;

const parseUris = (text: string): string[] => JSON.parse(text);

/**
 * Client metadata for the provider. `client_secret` carries the stored digests: the provider only hands the digests
 * back to `secretMatches`. `web` makes the provider compare redirect URIs as whole strings (`native` would allow any
 * port on loopback). `query` is the only response mode of the new API.
 */
function toMetadata(row: ClientRow): AdapterPayload {
  return {
    client_id: row.client_id,
    client_name: row.name,
    redirect_uris: parseUris(row.redirect_uris),
    application_type: 'web',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    response_modes: ['query'],
    token_endpoint_auth_method: row.confidential === 0 ? 'none' : 'client_secret_post',
    ...(row.confidential === 0 ? {} : { client_secret: row.digests ?? '-' }),
  };
}

/** Registered apps, for the provider. The store keeps only digests of secrets. */
export function createClients(db: Database, digest: SecretDigester) {
  const select = db.prepare<[string], ClientRow>(`
    select c.client_id, c.name, c.confidential, c.redirect_uris,
      (select group_concat(s.digest, ' ') from client_secrets as s where s.client_id = c.client_id) as digests
    from clients as c where c.client_id = ?`);
  const upsert = db.prepare(`
    insert into clients (client_id, name, confidential, redirect_uris, created_at) values (?, ?, ?, ?, ?)
    on conflict (client_id) do update set
      name = excluded.name, confidential = excluded.confidential, redirect_uris = excluded.redirect_uris`);
  const addSecret = db.prepare(
    'insert or ignore into client_secrets (client_id, digest, hint, created_at) values (?, ?, ?, ?)',
  );
  const dropOtherSecrets = db.prepare('delete from client_secrets where client_id = ? and digest <> ?');
  return {
    find(clientId: string): AdapterPayload | undefined {
      const row = select.get(clientId);
      return row && toMetadata(row);
    },
    /** Stores a client of the settings. The secret in the settings replaces all other secrets of the client. */
    upsert: db.transaction(({ clientId, clientSecret, name, redirectUris }: ClientSettings): void => {
      const now = new Date().toISOString();
      upsert.run(clientId, name, clientSecret === undefined ? 0 : 1, JSON.stringify(redirectUris), now);
      const secretDigest = clientSecret === undefined ? '' : digest(clientSecret);
      dropOtherSecrets.run(clientId, secretDigest);
      if (clientSecret !== undefined) addSecret.run(clientId, secretDigest, clientSecret.slice(-4), now);
    }),
    /** Whether `secret` belongs to one of `storedDigests`. Takes the same time for every wrong secret. */
    secretMatches(secret: string, storedDigests: string): boolean {
      const actual = Buffer.from(digest(secret));
      return storedDigests
        .split(' ')
        .map((stored) => Buffer.from(stored))
        .some((stored) => stored.length === actual.length && timingSafeEqual(actual, stored));
    },
  };
}
