import type {
  ChannelRecord,
  ConnectedAppRecord,
  DirectoryData,
  OrganizationRecord,
} from '../main-api/data.ts';
import type { Accounts } from './accounts.ts';
import type { Database } from './database.ts';

interface GrantRow {
  clientId: string;
  name: string;
  redirectUris: string;
  payload: string;
  createdAt: number;
}

const GRANTS = `
  select g.client_id as clientId, c.name, c.redirect_uris as redirectUris, g.payload, g.created_at as createdAt
  from oidc_records as g join clients as c on c.client_id = g.client_id
  where g.kind = 'Grant' and g.account_id = ? order by g.created_at`;

function toConnectedApp(accountId: string, row: GrantRow): ConnectedAppRecord {
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
  };
}

/** One row an app, dated by its first live consent, with the scopes of all of them. */
function mergeByApp(grants: ConnectedAppRecord[]): ConnectedAppRecord[] {
  const apps = new Map<string, ConnectedAppRecord>();
  for (const grant of grants) {
    const known = apps.get(grant.clientId);
    if (known) known.scopes = [...new Set([...known.scopes, ...grant.scopes])];
    else apps.set(grant.clientId, grant);
  }
  return [...apps.values()];
}

const documents = <T>(rows: string[]): T[] => rows.map((row): T => JSON.parse(row));

/** Organizations, channels and connected apps as the main API reads them, and how the demo writes them. */
export function createPublishing(db: Database, accounts: Accounts) {
  const ofAccount = db.prepare<[string], string>(
    'select document from organizations where account_id = ? order by position',
  );
  const ofOrganization = db.prepare<[string], string>(
    'select document from channels where organization_id = ? order by position',
  );
  const channel = db.prepare<[string], string>('select document from channels where id = ?');
  const grants = db.prepare<[string], GrantRow>(GRANTS);
  const addOrganization = db.prepare(
    'insert or ignore into organizations (id, account_id, position, document) values (?, ?, ?, ?)',
  );
  const addChannel = db.prepare(
    'insert or ignore into channels (id, organization_id, position, document) values (?, ?, ?, ?)',
  );

  const data: DirectoryData = {
    findAccount: (accountId) => accounts.find(accountId),
    organizationsOf: (accountId) => documents<OrganizationRecord>(ofAccount.pluck().all(accountId)),
    channelsOf: (organizationId) => documents<ChannelRecord>(ofOrganization.pluck().all(organizationId)),
    findChannel: (channelId) => documents<ChannelRecord>(channel.pluck().all(channelId))[0],
    connectedAppsOf: (accountId) =>
      mergeByApp(grants.all(accountId).map((row) => toConnectedApp(accountId, row))),
  };
  return {
    ...data,
    addOrganization(accountId: string, record: OrganizationRecord, position: number): void {
      addOrganization.run(record.id, accountId, position, JSON.stringify(record));
    },
    addChannel(record: ChannelRecord, position: number): void {
      addChannel.run(record.id, record.organizationId, position, JSON.stringify(record));
    },
  };
}
