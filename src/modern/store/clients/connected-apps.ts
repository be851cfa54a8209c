import type { ConnectedAppRecord } from '../../main-api/directory.ts';
import type { AppUses } from './app-uses.ts';
import type { Database } from '../database.ts';
import type { OidcRecords } from '../oidc-records.ts';

/** An app with a live grant of an account, as the main API and the settings page show it. */
export interface ConnectedApp extends ConnectedAppRecord {
  /** ISO 8601, to the minute; null before the first call. */
  lastUsedAt: string | null;
}

interface GrantRow {
  clientId: string;
  name: string;
  redirectUris: string;
  payload: string;
  createdAt: number;
  lastUsedAt: string | null;
}

const GRANTS = `
  select g.client_id as clientId, c.name, c.redirect_uris as redirectUris, g.payload, g.created_at as createdAt,
    u.last_used_at as lastUsedAt
  from oidc_records as g join clients as c on c.client_id = g.client_id
  left join app_uses as u on u.account_id = g.account_id and u.client_id = g.client_id
  where g.kind = 'Grant' and g.account_id = ? and g.expires_at > unixepoch() order by g.created_at`;

function toConnectedApp(accountId: string, row: GrantRow): ConnectedApp {
  const { openid }: { openid?: { scope?: string } } = JSON.parse(row.payload);
  const [redirectUri]: string[] = JSON.parse(row.redirectUris);
  return {
    clientId: row.clientId,
    userId: accountId,
    name: row.name,
    description: '',
    website: redirectUri === undefined ? '' : new URL(redirectUri).origin,
    createdAt: new Date(row.createdAt * 1000).toISOString(),
    category: null,
    scopes: openid?.scope?.split(' ') ?? [],
    lastUsedAt: row.lastUsedAt,
  };
}

/** Makes one row for each app, with the date of the first live consent and the scopes of all live consents. */
function mergeByApp(grants: ConnectedApp[]): ConnectedApp[] {
  const apps = new Map<string, ConnectedApp>();
  for (const grant of grants) {
    const known = apps.get(grant.clientId);
    if (known) known.scopes = [...new Set([...known.scopes, ...grant.scopes])];
    else apps.set(grant.clientId, grant);
  }
  return [...apps.values()];
}

/** The apps that an account has allowed. */
export function createConnectedApps(
  db: Database,
  { records, appUses }: { records: OidcRecords; appUses: AppUses },
) {
  const grants = db.prepare<[string], GrantRow>(GRANTS);
  return {
    ofAccount: (accountId: string): ConnectedApp[] =>
      mergeByApp(grants.all(accountId).map((row) => toConnectedApp(accountId, row))),
    /** Ends every grant of this app and account. False when there was no grant. */
    revoke: db.transaction((accountId: string, clientId: string): boolean => {
      appUses.forget(clientId, accountId);
      return records.revokeApp(clientId, accountId);
    }),
  };
}

export type ConnectedApps = ReturnType<typeof createConnectedApps>;
