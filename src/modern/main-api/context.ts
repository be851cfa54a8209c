import { GraphQLError } from 'graphql';
import type { Caller } from './authentication.ts';
import type { MainApiData } from './data.ts';
import type { ChannelRecord, OrganizationRecord } from './directory.ts';

// A type, not an interface: graphql-http wants an index signature, which only aliases have implicitly.
export type ApiContext = {
  caller: Caller;
  data: MainApiData;
};

/** A query's refusal: `errors[]` with code NOT_FOUND under 200 [recorded]. Mutations answer by a union member. */
export const notFound = (what: string) =>
  new GraphQLError(`${what} not found`, { extensions: { code: 'NOT_FOUND' } });

/** The organization if it is the caller's: somebody else's and one that never was look the same. */
export const ownOrganization = (
  { caller, data }: ApiContext,
  organizationId: string,
): OrganizationRecord | undefined =>
  data.organizationsOf(caller.accountId).find(({ id }) => id === organizationId);

/** The channel if it stands in an organization of the caller. */
export function ownChannel(context: ApiContext, channelId: string): ChannelRecord | undefined {
  const record = context.data.findChannel(channelId);
  return record && ownOrganization(context, record.organizationId) && record;
}

/** GraphQL lets a client leave a filter out or send null for it. */
export function matches<T>(wanted: T | null | undefined, actual: T): boolean {
  return wanted === undefined || wanted === null || wanted === actual;
}
