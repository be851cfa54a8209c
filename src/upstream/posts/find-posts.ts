import { z } from 'zod';
import type { HttpAnswer } from '../http-client.ts';
import { type MainApi, OrganizationGone } from '../main-api.ts';
import { Unavailable } from '../outcomes.ts';
import { answerData, wholeData } from './answer-data.ts';
import { POST_TO_EDIT_FIELDS, type PostToEdit, postToEdit } from './post-to-edit.ts';
import { type WrittenPost, WRITTEN_POST_FIELDS, writtenPost } from './written-post.ts';

/** Searches for posts at the new API. */

const ON_ONE_PAGE = 50;

/** The most requests of one search. */
const MOST_PAGES = 6;

const LIST = `query Look($input: PostsInput!, $after: String) { posts(input: $input, first: ${ON_ONE_PAGE}, after: $after) { edges { node { ${WRITTEN_POST_FIELDS} } } pageInfo { endCursor hasNextPage } } }`;

const oneOf = (fields: string) => `query Look($input: PostInput!) { post(input: $input) { ${fields} } }`;

const listed = z.object({
  posts: z.object({
    edges: z.array(z.object({ node: writtenPost })).nullish(),
    pageInfo: z.object({ endCursor: z.string().nullish(), hasNextPage: z.boolean() }).nullish(),
  }),
});

const WRITTEN = {
  query: oneOf(WRITTEN_POST_FIELDS),
  shape: z.object({ post: writtenPost }),
  dataOf: answerData,
};
/** An edit sends again what was read, and what is missing there is deleted. */
const TO_EDIT = {
  query: oneOf(POST_TO_EDIT_FIELDS),
  shape: z.object({ post: postToEdit }),
  dataOf: wholeData,
};

export interface PostSearch {
  mainApi: MainApi;
  accessToken: string;
  now: number;
}

interface PostQuestion<Shape> {
  query: string;
  variables: object;
  shape: Shape;
  /** Takes the data out of the answer. */
  dataOf: (answer: HttpAnswer, now: number) => unknown;
}

async function read<Shape extends z.ZodType>(
  { mainApi, accessToken, now }: PostSearch,
  { query, variables, shape, dataOf }: PostQuestion<Shape>,
): Promise<z.infer<Shape>> {
  const answer = await mainApi.ask(accessToken, JSON.stringify({ query, variables }));
  const data = shape.safeParse(dataOf(answer, now));
  if (data.success) return data.data;
  throw new Unavailable('the main API answered in an unknown shape', { cause: data.error });
}

/** Selects the posts of a channel that were made within a time, in Unix milliseconds. */
interface PostsInterval {
  organizationId: string;
  channelId: string;
  from: number;
  to: number;
}

/** Some posts of a channel, oldest first. */
export interface PostsResult {
  posts: WrittenPost[];
  /** Whether the channel has later posts that were not read. */
  goesOn: boolean;
}

async function readPage(looking: PostSearch, input: object, after: string | undefined) {
  const variables = { input, ...(after === undefined ? {} : { after }) };
  const { posts } = await read(looking, { query: LIST, variables, shape: listed, dataOf: answerData });
  const found = (posts.edges ?? []).map(({ node }) => node);
  const { hasNextPage = found.length === ON_ONE_PAGE, endCursor } = posts.pageInfo ?? {};
  // An empty page has no next page, whatever it says.
  return { found, goesOn: hasNextPage && found.length > 0, next: endCursor ?? undefined };
}

const isBefore = (time: number, post: WrittenPost | undefined) =>
  post !== undefined && Date.parse(post.createdAt) < time;

/** Sends one request. */
export type SendQuery = <Answer>(read: (looking: PostSearch) => Promise<Answer>) => Promise<Answer>;

/**
 * The posts of a channel that were made within a time, and maybe later posts. Incomplete when there are very many.
 * `ask` sends the request of each page.
 * @throws {Unauthorized | Forbidden | OrganizationGone | Unavailable}, and the errors of `ask`
 */
export async function listPosts(
  ask: SendQuery,
  { organizationId, channelId, from, to }: PostsInterval,
): Promise<PostsResult> {
  const input = {
    organizationId,
    filter: { channelIds: [channelId], createdAt: { start: new Date(from).toISOString() } },
    sort: [{ field: 'createdAt', direction: 'asc' }],
  };
  const posts: WrittenPost[] = [];
  let after: string | undefined;
  for (let page = 1; ; page += 1) {
    const cursor = after;
    const { found, goesOn, next } = await ask((looking) => readPage(looking, input, cursor));
    posts.push(...found);
    const isEnough = page === MOST_PAGES || next === undefined || !isBefore(to, found.at(-1));
    if (!goesOn || isEnough) return { posts, goesOn };
    after = next;
  }
}

async function findOne<Kind>(
  looking: PostSearch,
  question: Omit<PostQuestion<z.ZodType<{ post: Kind }>>, 'variables'>,
  id: string,
): Promise<Kind | undefined> {
  try {
    return (await read(looking, { ...question, variables: { input: { id } } })).post;
  } catch (error) {
    if (error instanceof OrganizationGone) return undefined;
    throw error;
  }
}

/**
 * One post; undefined when the post does not exist.
 * @throws {Unauthorized | Forbidden | Unavailable}
 */
export function findPost(looking: PostSearch, id: string): Promise<WrittenPost | undefined> {
  return findOne(looking, WRITTEN, id);
}

/**
 * As `findPost`, with all that an edit of the post has to send again.
 * @throws {Unauthorized | Forbidden | Unavailable} also where an error hides a part of the post
 */
export function findPostToEdit(looking: PostSearch, id: string): Promise<PostToEdit | undefined> {
  return findOne(looking, TO_EDIT, id);
}
