import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AdapterPayload } from '../oidc.ts';
import type { ClientSettings } from '../settings.ts';
import type { Database } from './database.ts';

interface ClientRow {
  client_id: string;
  name: string;
  secret_digest: string | null;
  redirect_uris: string;
}

export type Clients = ReturnType<typeof createClients>;

const parseUris = (text: string): string[] => JSON.parse(text);

/**
 * Client metadata as the provider wants it. `client_secret` carries the stored digest: the provider only hands it back
 * to `secretMatches`. `web` makes redirect URIs match as whole strings (`native` would free the port on loopback), and
 * `query` is the only response mode of specification 5.4.
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
    token_endpoint_auth_method: row.secret_digest === null ? 'none' : 'client_secret_post',
    ...(row.secret_digest === null ? {} : { client_secret: row.secret_digest }),
  };
}

/** Registered apps. Secrets are random and long, so a keyed fast digest is enough; the key is not in the database. */
export function createClients(db: Database, digestKey: string) {
  const key = Buffer.from(digestKey, 'base64url');
  const digest = (secret: string) => createHmac('sha256', key).update(secret).digest('base64url');
  const select = db.prepare<[string], ClientRow>('select * from clients where client_id = ?');
  const upsert = db.prepare(`
    insert into clients (client_id, name, secret_digest, redirect_uris, created_at) values (?, ?, ?, ?, ?)
    on conflict (client_id) do update set
      name = excluded.name, secret_digest = excluded.secret_digest, redirect_uris = excluded.redirect_uris`);
  return {
    find(clientId: string): AdapterPayload | undefined {
      const row = select.get(clientId);
      return row && toMetadata(row);
    },
    upsert({ clientId, clientSecret, name, redirectUris }: ClientSettings): void {
      const secretDigest = clientSecret === undefined ? null : digest(clientSecret);
      upsert.run(clientId, name, secretDigest, JSON.stringify(redirectUris), new Date().toISOString());
    },
    /** Whether `secret` is the one behind `storedDigest`; equal time for every wrong one. */
    secretMatches(secret: string, storedDigest: string): boolean {
      return timingSafeEqual(Buffer.from(digest(secret)), Buffer.from(storedDigest));
    },
  };
}
