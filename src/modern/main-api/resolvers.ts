import { GraphQLError } from 'graphql';
import type { Caller } from './authentication.ts';
import type { AccountRecord, ChannelRecord, MainApiData, OrganizationRecord } from './data.ts';

// A type, not an interface: graphql-http wants an index signature, which only aliases have implicitly.
export type ApiContext = {
  caller: Caller;
  data: MainApiData;
};

interface ChannelsArguments {
  input: { organizationId: string; filter?: { isLocked?: boolean | null; product?: string | null } | null };
}

interface OrganizationsArguments {
  filter?: { organizationId?: string | null } | null;
}

const notFound = (what: string) =>
  new GraphQLError(`${what} not found`, { extensions: { code: 'NOT_FOUND' } });

// The table of scopes and operations is not published; account:read for all three is the working assumption.
function requireAccountRead({ caller }: ApiContext): void {
  if (caller.scopes.includes('account:read')) return;
  throw new GraphQLError('The access token lacks the scope account:read', {
    extensions: { code: 'FORBIDDEN' },
  });
}

// GraphQL lets a client leave a filter out or send null for it.
function matches<T>(wanted: T | null | undefined, actual: T): boolean {
  return wanted === undefined || wanted === null || wanted === actual;
}

const isOwnOrganization = ({ caller, data }: ApiContext, organizationId: string): boolean =>
  data.organizationsOf(caller.accountId).some(({ id }) => id === organizationId);

const presentOrganization = (record: OrganizationRecord, { data }: ApiContext) => ({
  ...record,
  channelCount: data.channelsOf(record.id).length,
});

const presentAccount = (record: AccountRecord, context: ApiContext) => ({
  ...record,
  organizations: ({ filter }: OrganizationsArguments) =>
    context.data
      .organizationsOf(record.id)
      .filter(({ id }) => matches(filter?.organizationId, id))
      .map((organization) => presentOrganization(organization, context)),
  connectedApps: () => context.data.connectedAppsOf(record.id),
});

function account(_arguments: unknown, context: ApiContext) {
  requireAccountRead(context);
  const record = context.data.findAccount(context.caller.accountId);
  if (!record) throw notFound('Account');
  return presentAccount(record, context);
}

function channels({ input }: ChannelsArguments, context: ApiContext): ChannelRecord[] {
  requireAccountRead(context);
  const { organizationId, filter } = input;
  if (!isOwnOrganization(context, organizationId)) throw notFound('Organization');
  return context.data
    .channelsOf(organizationId)
    .filter(({ isLocked }) => matches(filter?.isLocked, isLocked))
    .filter(({ products }) => products.some((product) => matches(filter?.product, product)));
}

function channel({ input }: { input: { id: string } }, context: ApiContext): ChannelRecord {
  requireAccountRead(context);
  const record = context.data.findChannel(input.id);
  // Somebody else's channel and one that never was look the same.
  if (!record || !isOwnOrganization(context, record.organizationId)) throw notFound('Channel');
  return record;
}

/** Root value of the schema: every answer is limited to the caller's own account. */
export const rootValue = { account, channels, channel };
