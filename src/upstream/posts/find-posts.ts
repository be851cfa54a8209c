import { z } from 'zod';
import { jsonObject } from '../http-client.ts';
import { type MainApi, OrganizationGone, throwRefusal } from '../main-api.ts';
import { Unavailable } from '../outcomes.ts';
import { type WrittenPost, WRITTEN_POST_FIELDS, writtenPost } from './written-post.ts';

/** Looks whether a post is there, in one request. */

/** A list is no longer; one of this length may go on. */
export const LONGEST_LIST = 50;

const LIST = `query Look($input: PostsInput!) { posts(input: $input, first: ${LONGEST_LIST}) { edges { node { ${WRITTEN_POST_FIELDS} } } } }`;

const ONE = `query Look($input: PostInput!) { post(input: $input) { ${WRITTEN_POST_FIELDS} } }`;

const listed = z.object({ posts: z.object({ edges: z.array(z.object({ node: writtenPost })).nullish() }) });

const one = z.object({ post: writtenPost });

export interface Looking {
  mainApi: MainApi;
  accessToken: string;
  now: number;
}

async function read<Shape extends z.ZodType>(
  { mainApi, accessToken, now }: Looking,
  { query, input, shape }: { query: string; input: object; shape: Shape },
): Promise<z.infer<Shape>> {
  const answer = await mainApi.ask(accessToken, JSON.stringify({ query, variables: { input } }));
  throwRefusal(answer, now);
  const data = shape.safeParse(jsonObject(answer)?.['data']);
  if (data.success) return data.data;
  throw new Unavailable('the main API answered in an unknown shape', { cause: data.error });
}

/**
 * The posts of a channel that were made since a time, in Unix milliseconds, the oldest first.
 * @throws {Unauthorized | Forbidden | OrganizationGone | Unavailable}
 */
export async function listPostsSince(
  looking: Looking,
  { organizationId, channelId, since }: { organizationId: string; channelId: string; since: number },
): Promise<WrittenPost[]> {
  const input = {
    organizationId,
    filter: { channelIds: [channelId], createdAt: { start: new Date(since).toISOString() } },
    sort: [{ field: 'createdAt', direction: 'asc' }],
  };
  const { posts } = await read(looking, { query: LIST, input, shape: listed });
  return (posts.edges ?? []).map(({ node }) => node);
}

/**
 * One post; undefined where there is none.
 * @throws {Unauthorized | Forbidden | Unavailable}
 */
export async function findPost(looking: Looking, id: string): Promise<WrittenPost | undefined> {
  try {
    return (await read(looking, { query: ONE, input: { id }, shape: one })).post;
  } catch (error) {
    if (error instanceof OrganizationGone) return undefined;
    throw error;
  }
}
