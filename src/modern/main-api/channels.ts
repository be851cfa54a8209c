import { type ApiContext, matches, notFound, ownChannel, ownOrganization } from './context.ts';
import type { ChannelRecord } from './directory.ts';

interface ChannelsArguments {
  input: { organizationId: string; filter?: { isLocked?: boolean | null; product?: string | null } | null };
}

function channels({ input }: ChannelsArguments, context: ApiContext): ChannelRecord[] {
  const { organizationId, filter } = input;
  if (!ownOrganization(context, organizationId)) throw notFound('Organization');
  return context.data
    .channelsOf(organizationId)
    .filter(({ isLocked }) => matches(filter?.isLocked, isLocked))
    .filter(({ products }) => products.some((product) => matches(filter?.product, product)));
}

function channel({ input }: { input: { id: string } }, context: ApiContext): ChannelRecord {
  const record = ownChannel(context, input.id);
  if (!record) throw notFound('Channel');
  return record;
}

export const channelQueries = { channels, channel };
