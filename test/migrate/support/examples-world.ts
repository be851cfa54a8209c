import { exchange, startSystemWithOwnClient } from '../../exchange/support/own-client.ts';
import { OWN_CLIENT } from '../../exchange/support/own-client.ts';
import { issueToken } from '../../support/callers/legacy-calls.ts';
import type { System } from '../../support/bridge/system.ts';
import { BAKERY, CHANNELS } from '../../posts/support/posts.ts';

/** A system with an app that has moved to the new API, and one that has not; both are of the same person. */

interface SeenPost {
  id: string;
  text: string;
  status: string;
}

export interface ExamplesWorld {
  system: System;
  /** What a reader sets. */
  env: Record<string, string>;
  /** Makes a post in the queue of the channel, by the app that has moved; its id. */
  newPost(text: string): Promise<string>;
  /** Undefined for one that is not there. */
  postOf(id: string): Promise<SeenPost | undefined>;
  /** The texts of the queue, in its order. */
  queue(): Promise<SeenPost[]>;
}

interface Pair {
  access_token: string;
  refresh_token: string;
}

type Data = Record<string, unknown>;

/** Starts it. */
export async function startExamplesWorld(): Promise<ExamplesWorld> {
  const system = await startSystemWithOwnClient({
    env: { LEGACY_RATE_LIMIT: '0', PROFILES_FRESH_SECONDS: '0' },
  });
  const handedOver = await exchange(system.bridgeUrl, await issueToken(system));
  const { access_token: accessToken, refresh_token: refreshToken } = handedOver.json as Pair;
  const other = await system.registerApp('https://stays.example/callback');
  const oldToken = await issueToken(system, { app: other });
  const ask = async (query: string, variables: object): Promise<Data> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` };
    const body = JSON.stringify({ query, variables });
    const answer = await fetch(system.proxy.origin, { method: 'POST', headers, body });
    return ((await answer.json()) as { data?: Data | null }).data ?? {};
  };
  return {
    system,
    env: {
      OLD_TOKEN: oldToken,
      PROFILE_ID: CHANNELS.twitter,
      ACCESS_TOKEN: accessToken,
      ORGANIZATION_ID: BAKERY,
      CHANNEL_ID: CHANNELS.twitter,
      REFRESH_TOKEN: refreshToken,
      MODERN_CLIENT_ID: OWN_CLIENT.clientId,
      MODERN_CLIENT_SECRET: OWN_CLIENT.clientSecret,
    },
    async newPost(text) {
      const input = { channelId: CHANNELS.twitter, text, mode: 'addToQueue', schedulingType: 'automatic' };
      const made = await ask(
        'mutation($input: CreatePostInput!) { made: createPost(input: $input) { ... on PostActionSuccess { post { id } } } }',
        { input },
      );
      return (made['made'] as { post: { id: string } }).post.id;
    },
    async postOf(id) {
      const data = await ask('query($id: PostId!) { post(input: { id: $id }) { id text status } }', { id });
      return data['post'] as SeenPost | undefined;
    },
    async queue() {
      const input = {
        organizationId: BAKERY,
        filter: { channelIds: [CHANNELS.twitter], status: ['scheduled'] },
        sort: [{ field: 'dueAt', direction: 'asc' }],
      };
      const data = await ask(
        'query($input: PostsInput!) { posts(input: $input, first: 100) { edges { node { id text status } } } }',
        { input },
      );
      const { edges } = data['posts'] as { edges: Array<{ node: SeenPost }> };
      return edges.map(({ node }) => node);
    },
  };
}
