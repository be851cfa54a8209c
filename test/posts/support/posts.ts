import { accessTokenFor } from '../../../src/domain/grants/refresh/access-token.ts';
import type { Context } from '../../../src/domain/context.ts';

/** What a test sees of the new API past the bridge: the posts that are really there. */

export interface RealPost {
  id: string;
  text: string;
  status: string;
  channelId: string;
  createdAt: string;
  dueAt: string | null;
  shareMode: string;
  sharedNow: boolean;
  assets: Array<{ source: string }>;
}

/** Organizations of the demo's first person. */
export const BAKERY = '5e1f0c9a7b3d4e2f8a6c2d01';
export const RUNNERS = '5e1f0c9a7b3d4e2f8a6c2d02';

/** Channels of the demo, by what they are there for. */
export const CHANNELS = {
  twitter: '5e1f0c9a7b3d4e2f8a6c3d01',
  disconnected: '5e1f0c9a7b3d4e2f8a6c3d02',
  instagram: '5e1f0c9a7b3d4e2f8a6c3d03',
  locked: '5e1f0c9a7b3d4e2f8a6c3d04',
  linkedin: '5e1f0c9a7b3d4e2f8a6c3d05',
  paused: '5e1f0c9a7b3d4e2f8a6c3d06',
  bluesky: '5e1f0c9a7b3d4e2f8a6c3d07',
  ofAnother: '5e1f0c9a7b3d4e2f8a6c3d08',
  pinterest: '5e1f0c9a7b3d4e2f8a6c3d09',
  tiktok: '5e1f0c9a7b3d4e2f8a6c3d0a',
  youtube: '5e1f0c9a7b3d4e2f8a6c3d0b',
  threads: '5e1f0c9a7b3d4e2f8a6c3d0c',
};

interface Answer {
  data?: {
    posts: { edges: Array<{ node: RealPost }>; pageInfo: { hasNextPage: boolean; endCursor: string } };
  };
}

const LIST = `query Real($input: PostsInput!, $after: String) { posts(input: $input, first: 100, after: $after) {
  edges { node { id text status channelId createdAt dueAt shareMode sharedNow assets { source } } }
  pageInfo { hasNextPage endCursor } } }`;

/** Asks the new API itself. */
export async function ask(apiUrl: string, accessToken: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` };
  const answer = await fetch(apiUrl, { method: 'POST', headers, body: JSON.stringify(body) });
  return answer.json();
}

export async function aLiveAccessToken(context: Context): Promise<string> {
  const grant = await context.store.durable
    .selectFrom('grants')
    .select('id')
    .where('state', '<>', 'dead')
    .orderBy('created_at', 'desc')
    .executeTakeFirstOrThrow();
  return (await accessTokenFor(context, grant)).accessToken;
}

/** Every post of the organization that was made since a time, in Unix milliseconds. */
export async function realPosts(
  context: Context,
  { apiUrl, since, organizationId }: { apiUrl: string; since: number; organizationId: string },
): Promise<RealPost[]> {
  const accessToken = await aLiveAccessToken(context);
  const filter = { createdAt: { start: new Date(since).toISOString() } };
  const found: RealPost[] = [];
  for (let after: string | undefined; ; ) {
    const variables = { input: { organizationId, filter }, after };
    const { data } = (await ask(apiUrl, accessToken, { query: LIST, variables })) as Answer;
    if (!data) throw new Error('the new API lists no posts');
    found.push(...data.posts.edges.map(({ node }) => node));
    if (!data.posts.pageInfo.hasNextPage) return found;
    after = data.posts.pageInfo.endCursor;
  }
}
