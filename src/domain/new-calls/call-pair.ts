/**
 * The form in which an old call stands beside what takes its place at the new API. Pure data: which program makes the calls,
 * and in which language, is for the pages that show them.
 */

/** A fixed text, or the name of what the reader sets in the environment. */
export type CallValue = string | { readonly env: EnvironmentName };

/** What a reader sets before the calls run, and what it is. */
export const ENVIRONMENT = {
  OLD_TOKEN: 'The token of the old API that the app holds for a person.',
  PROFILE_ID: 'The id of a profile, as the old API tells it.',
  UPDATE_ID: 'The id of an update, as the old API tells it.',
  NEXT_UPDATE_ID: 'The id of the update that is to follow it in the queue.',
  ACCESS_TOKEN: 'An access token of the new API, for the same person.',
  ORGANIZATION_ID: 'The id of an organization of the account at the new API.',
  CHANNEL_ID: 'The id of a channel of that organization. A channel is what a profile was.',
  POST_ID: 'The id of a post at the new API. A post is what an update was.',
  NEXT_POST_ID: 'The id of the post that is to follow it in the queue.',
  REFRESH_TOKEN: 'The last refresh token that the new API gave for this person.',
  MODERN_CLIENT_ID: 'The id of the app’s own client at the new API.',
  MODERN_CLIENT_SECRET: 'The secret of that client. A public client has none and leaves it out.',
} as const;

export type EnvironmentName = keyof typeof ENVIRONMENT;

/** Names that stand more than once are a list. */
export type Fields = ReadonlyArray<readonly [name: string, value: CallValue]>;

/** An old call as a program makes it. Its method and address are those of `posts/old-calls.ts`. */
interface OldRequest {
  /** Whether a program sends a form; else the call is a GET. */
  isPost: boolean;
  query?: ReadonlyArray<readonly [name: string, value: string]>;
  form?: Fields;
}

/** One request of GraphQL. */
export interface GraphqlStep {
  kind: 'graphql';
  /** Said before the request where there are several. */
  title?: string;
  query: string;
  variables: Readonly<Record<string, CallValue>>;
}

/** The end of a connection, for which the new API has no operation: the authorization server revokes it (RFC 7009). */
interface RevocationStep {
  kind: 'revocation';
  title?: string;
  form: Fields;
}

export type NewStep = GraphqlStep | RevocationStep;

/** An old call and what takes its place. */
export interface CallPair {
  /** What the call does, in a few words. */
  does: string;
  old: OldRequest;
  /** None where nothing of the new API does it. */
  steps: readonly NewStep[];
  /** What is different, or why there is nothing. */
  words: string;
  /** Whether a person does it now, in the settings of the new API. */
  isForPerson?: boolean;
  /** Parameters and fields of the old call, and where they are now. */
  renamed: ReadonlyArray<readonly [old: string, now: string]>;
}

export const env = (name: EnvironmentName): CallValue => ({ env: name });

export const READ = { isPost: false } as const;

export function graphql(
  query: string,
  variables: GraphqlStep['variables'] = {},
  title?: string,
): GraphqlStep {
  return { kind: 'graphql', query, variables, ...(title !== undefined && { title }) };
}
