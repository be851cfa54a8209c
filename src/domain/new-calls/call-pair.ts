/**
 * An old call beside the requests of the new API that replace it. Pure data: the pages that show the calls choose the
 * program and its language.
 */

/** A fixed text, or the name of an environment variable that the reader sets. */
export type CallValue = string | { readonly env: EnvironmentName };

/** The environment variables that a reader sets before the calls run, each with its meaning. */
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

/** A name that appears more than once is a list. */
export type CallFields = ReadonlyArray<readonly [name: string, value: CallValue]>;

/** An old call as a program makes it. `old-calls/old-calls.ts` has its method and address. */
interface OldRequest {
  /** True: the program sends a form. False: the call is a GET. */
  isPost: boolean;
  query?: ReadonlyArray<readonly [name: string, value: string]>;
  form?: CallFields;
}

/** One GraphQL request. */
export interface GraphqlStep {
  kind: 'graphql';
  /** Shown before the request where a call needs several requests. */
  title?: string;
  query: string;
  variables: Readonly<Record<string, CallValue>>;
}

/** Ends a connection: the authorization server revokes the token (RFC 7009). The new API has no operation for this. */
interface RevocationStep {
  kind: 'revocation';
  title?: string;
  form: CallFields;
}

export type NewStep = GraphqlStep | RevocationStep;

/** An old call and its replacement. */
export interface CallPair {
  /** What the call does, in a few words. */
  does: string;
  old: OldRequest;
  /** Empty where the new API cannot do this. */
  steps: readonly NewStep[];
  /** The differences, or the reason why the new API has no replacement. */
  words: string;
  /** True: a person now does this in the settings of the new API. */
  isForPerson?: boolean;
  /** Parameters and fields of the old call, with their places in the new API. */
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
