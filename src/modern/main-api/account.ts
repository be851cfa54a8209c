import { type ApiContext, matches, notFound } from './context.ts';
import type { AccountRecord, OrganizationRecord } from './directory.ts';

interface OrganizationsArguments {
  filter?: { organizationId: string } | null;
}

const presentOrganization = (record: OrganizationRecord, { data }: ApiContext) => ({
  ...record,
  channelCount: data.channelsOf(record.id).length,
});

/** Makes the schema's type `Account`, with the fields below the account. */
const presentAccount = (record: AccountRecord, context: ApiContext) => ({
  ...record,
  organizations: ({ filter }: OrganizationsArguments) =>
    context.data
      .organizationsOf(record.id)
      .filter(({ id }) => matches(filter?.organizationId, id))
      // An account owns its organizations, so a changed e-mail shows in them at once.
      .map((organization) => presentOrganization({ ...organization, ownerEmail: record.email }, context)),
  connectedApps: () => context.data.connectedAppsOf(record.id),
});

function account(_arguments: unknown, context: ApiContext) {
  const record = context.data.findAccount(context.caller.accountId);
  if (!record) throw notFound('Account');
  return presentAccount(record, context);
}

export const accountQueries = { account };
