import { GraphQLError } from 'graphql';
import type { ApiCaller } from './authentication.ts';
import type { MainApiData } from './data.ts';
import type { ChannelRecord, OrganizationRecord } from './directory.ts';

// A type, not an interface: graphql-http wants an index signature, which only a type alias has implicitly.
export type ApiContext = {
  caller: ApiCaller;
  data: MainApiData;
};

/** Refuses a query: `errors[]` with code NOT_FOUND under 200 [recorded]. Mutations answer with a union member. */
export const notFound = (what: string) =>
  new GraphQLError(`${what} not found`, { extensions: { code: 'NOT_FOUND' } });

/** The caller's organization. Undefined both for an organization of another account and for an unknown id. */
export const ownOrganization = (
  { caller, data }: ApiContext,
  organizationId: string,
): OrganizationRecord | undefined =>
  data.organizationsOf(caller.accountId).find(({ id }) => id === organizationId);

/** The channel if the channel belongs to an organization of the caller. */
export function ownChannel(context: ApiContext, channelId: string): ChannelRecord | undefined {
  const record = context.data.findChannel(channelId);
  return record && ownOrganization(context, record.organizationId) && record;
}

/** Whether `actual` passes a filter. A client may leave the filter out or send null: then every value passes. */
export function matches<T>(wanted: T | null | undefined, actual: T): boolean {
  return wanted === undefined || wanted === null || wanted === actual;
}
