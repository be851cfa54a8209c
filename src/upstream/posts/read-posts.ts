import { z } from 'zod';
import { isNotShown, type MainApi } from '../main-api.ts';
import { Unavailable } from '../outcomes.ts';
import { answerData } from './answer-data.ts';
import { post, POST_FIELDS, type Post } from './post.ts';
import { type WrittenPost, WRITTEN_POST_FIELDS, writtenPost } from './written-post.ts';

/** Reads posts from the new API: one request per page of a list, one request for a post. */

/** The selection of a list. Times are ISO 8601. */
export interface PostsQuestion {
  organizationId: string;
  channelId: string;
  statuses: readonly string[];
  /** The order by due time. */
  direction: 'asc' | 'desc';
  createdFrom?: string;
}

export interface PageRange {
  /** 1 to 100. */
  first: number;
  /** The cursor after which the page begins; undefined for the first page. */
  after: string | undefined;
}

export interface PostsPage<Kind = Post> {
  posts: Kind[];
  /** The cursor behind each post; null where the new API does not tell it. */
  cursors: Array<string | null>;
  /** The cursor of the next page; undefined at the end of the list. */
  next: string | undefined;
}

/** The access to the new API with one token. */
export interface PostsAccess {
  mainApi: MainApi;
  accessToken: string;
  now: () => number;
}

/** The new API refused the cursor, has nothing behind it any more, or gave no list. */
export class UnreadablePage extends Unavailable {}

const pageOf = <Kind>(node: z.ZodType<Kind>) =>
  z.object({
    edges: z.array(z.object({ cursor: z.string().nullish(), node })).nullish(),
    pageInfo: z.object({ endCursor: z.string().nullish(), hasNextPage: z.boolean() }),
  });

const listOf = (fields: string) =>
  `query Posts($input: PostsInput!, $first: Int, $after: String) { posts(input: $input, first: $first, after: $after) { edges { cursor node { ${fields} } } pageInfo { endCursor hasNextPage } } }`;

/** The query of a list, and the shape of its pages. */
interface ListKind<Kind> {
  query: string;
  page: ReturnType<typeof pageOf<Kind>>;
}

const PLAIN: ListKind<Post> = { query: listOf(POST_FIELDS), page: pageOf(post) };
const WRITTEN: ListKind<WrittenPost> = { query: listOf(WRITTEN_POST_FIELDS), page: pageOf(writtenPost) };

const ONE = `query Post($input: PostInput!) { post(input: $input) { ${POST_FIELDS} } }`;

/** @throws {Unauthorized | Forbidden | OrganizationGone | Unavailable} */
async function dataOf(
  { mainApi, accessToken, now }: PostsAccess,
  request: { query: string; variables: object },
): Promise<Record<string, unknown>> {
  const answer = await mainApi.ask(accessToken, JSON.stringify(request));
  return answerData(answer, now());
}

function inputOf({ organizationId, channelId, statuses, direction, createdFrom }: PostsQuestion) {
  const created = createdFrom === undefined ? {} : { createdAt: { start: createdFrom } };
  return {
    organizationId,
    filter: { channelIds: [channelId], status: statuses, ...created },
    sort: [{ field: 'dueAt', direction }],
  };
}

interface PageRequest {
  question: PostsQuestion;
  wanted: PageRange;
}

async function readPage<Kind>(
  asker: PostsAccess,
  { question, wanted: { first, after } }: PageRequest,
  { query, page }: ListKind<Kind>,
): Promise<PostsPage<Kind>> {
  const variables = { input: inputOf(question), first, ...(after === undefined ? {} : { after }) };
  const { posts: told } = await dataOf(asker, { query, variables });
  const parsed = page.safeParse(told);
  if (!parsed.success) {
    // Where a list came, its cursor was taken: one of the posts cannot be read.
    const Kind = told ? Unavailable : UnreadablePage;
    throw new Kind('the main API answered in an unknown shape', { cause: parsed.error });
  }
  const { edges, pageInfo } = parsed.data;
  const posts = (edges ?? []).map(({ node }) => node);
  const cursors = (edges ?? []).map(({ cursor }) => cursor ?? null);
  // An empty page has no next page, whatever it says.
  const goesOn = pageInfo.hasNextPage && posts.length > 0;
  return { posts, cursors, next: goesOn ? (pageInfo.endCursor ?? undefined) : undefined };
}

/** One page of a list. @throws {Unauthorized | Forbidden | OrganizationGone | Unavailable} */
export function readPostsPage(
  asker: PostsAccess,
  question: PostsQuestion,
  wanted: PageRange,
): Promise<PostsPage> {
  return readPage(asker, { question, wanted }, PLAIN);
}

/**
 * One page of a list; each post says how it was written.
 * @throws {Unauthorized | Forbidden | OrganizationGone | Unavailable}
 */
export function readWrittenPage(
  asker: PostsAccess,
  question: PostsQuestion,
  wanted: PageRange,
): Promise<PostsPage<WrittenPost>> {
  return readPage(asker, { question, wanted }, WRITTEN);
}

/** One post; undefined when the token does not reach the post. @throws {Unauthorized | Unavailable} */
export async function readPost(asker: PostsAccess, id: string): Promise<Post | undefined> {
  try {
    const data = await dataOf(asker, { query: ONE, variables: { input: { id } } });
    return post.parse(data['post']);
  } catch (error) {
    if (isNotShown(error)) return undefined;
    if (!(error instanceof z.ZodError)) throw error;
    throw new Unavailable('the main API answered in an unknown shape', { cause: error });
  }
}

const DUE = `query Posts($input: PostsInput!) { posts(input: $input, first: 100) { edges { node { ${POST_FIELDS} } } } }`;

/** The posts of a channel that are due in one second, in any status. `dueAt` in Unix milliseconds. */
export async function readPostsDueAt(
  asker: PostsAccess,
  { organizationId, channelId, dueAt }: { organizationId: string; channelId: string; dueAt: number },
): Promise<Post[]> {
  const [start, end] = [dueAt, dueAt + 999].map((time) => new Date(time).toISOString());
  const input = { organizationId, filter: { channelIds: [channelId], dueAt: { start, end } } };
  const data = await dataOf(asker, { query: DUE, variables: { input } });
  const parsed = PLAIN.page.pick({ edges: true }).safeParse(data['posts']);
  if (!parsed.success)
    throw new UnreadablePage('the main API answered in an unknown shape', { cause: parsed.error });
  return (parsed.data.edges ?? []).map(({ node }) => node);
}
