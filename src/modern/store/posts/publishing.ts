import type { ChannelRecord, DirectoryData, OrganizationRecord } from '../../main-api/directory.ts';
import type { Accounts } from '../accounts.ts';
import type { ConnectedApps } from '../clients/connected-apps.ts';
import type { Database } from '../database.ts';

const documents = <T>(rows: string[]): T[] => rows.map((row): T => JSON.parse(row));

/** Organizations, channels and connected apps for the main API. Only the demo adds organizations and channels. */
export function createPublishing(
  db: Database,
  { accounts, connectedApps }: { accounts: Accounts; connectedApps: ConnectedApps },
) {
  const ofAccount = db.prepare<[string], string>(
    'select document from organizations where account_id = ? order by position',
  );
  const ofOrganization = db.prepare<[string], string>(
    'select document from channels where organization_id = ? order by position',
  );
  const channel = db.prepare<[string], string>('select document from channels where id = ?');
  const addOrganization = db.prepare(
    'insert or ignore into organizations (id, account_id, position, document) values (?, ?, ?, ?)',
  );
  const addChannel = db.prepare(
    'insert or ignore into channels (id, organization_id, position, document) values (?, ?, ?, ?)',
  );

  const data: DirectoryData = {
    findAccount: (accountId) => accounts.find(accountId),
    updateAccount: (accountId, changes) => accounts.update(accountId, changes),
    organizationsOf: (accountId) => documents<OrganizationRecord>(ofAccount.pluck().all(accountId)),
    channelsOf: (organizationId) => documents<ChannelRecord>(ofOrganization.pluck().all(organizationId)),
    findChannel: (channelId) => documents<ChannelRecord>(channel.pluck().all(channelId))[0],
    connectedAppsOf: connectedApps.ofAccount,
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
