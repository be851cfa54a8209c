import type { Context } from '../../../src/domain/context.ts';
import type { Bakery } from './bakery.ts';
import { aLiveAccessToken, ask, BAKERY, CHANNELS, type RealPost, realPosts, RUNNERS } from './posts.ts';

/**
 * One queue at the new API, filled and looked at past the bridge. Unless another is named it is one that is paused:
 * nothing of it is sent while a test runs, whatever the time of day.
 */

export interface Queue {
  channelId: string;
  /** Empties the queue and puts so many posts into it; their ids in the order of the queue. */
  fill(count: number): Promise<string[]>;
  /** Puts one more post in; its id. */
  add(input?: object): Promise<string>;
  move(id: string, position: 'top' | 'bottom'): Promise<void>;
  remove(id: string): Promise<void>;
  /** The ids as they really stand. */
  order(): Promise<string[]>;
  /** When the first post is due, in Unix milliseconds. */
  firstDue(): Promise<number>;
}

const ADD =
  'mutation Add($input: CreatePostInput!) { made: createPost(input: $input) { ... on PostActionSuccess { post { id } } ... on MutationError { message } } }';
const MOVE =
  'mutation Move($input: MovePostInQueueInput!) { made: movePostInQueue(input: $input) { __typename ... on MutationError { message } } }';
const REMOVE =
  'mutation Remove($input: DeletePostInput!) { made: deletePost(input: $input) { __typename ... on MutationError { message } } }';

interface Made {
  data?: { made: { message?: string; post?: { id: string } } };
}

const isWaiting = ({ status }: RealPost) => ['scheduled', 'sending', 'error'].includes(status);
const dueOf = ({ dueAt }: RealPost) => Date.parse(dueAt ?? '');

/** Nothing that is due later than this is sent while a test runs. */
const FAR = 10 * 60_000;

/** The empty queue of a channel that runs, of a plan with room: one that has no time for a post in the next minutes. */
export async function runningQueue(bakery: Pick<Bakery, 'system'>): Promise<Queue> {
  for (const channelId of [CHANNELS.threads, CHANNELS.twitter]) {
    const queue = queueOf(bakery, channelId);
    await queue.fill(1);
    if ((await queue.firstDue()) > Date.now() + FAR) return queue;
  }
  throw new Error('both channels are about to send');
}

/** The queue of a channel of the bakery's person. */
export function queueOf({ system }: Pick<Bakery, 'system'>, channelId?: string): Queue {
  return queueAt({ context: system.bridge.context, apiUrl: system.proxy.origin }, channelId);
}

/** The queue of a channel of the demo's first person, whose token the bridge of this context has. */
export function queueAt(
  { context, apiUrl }: { context: Context; apiUrl: string },
  channelId = CHANNELS.paused,
): Queue {
  const organizationId = channelId === CHANNELS.paused ? RUNNERS : BAKERY;

  async function make(query: string, input: object): Promise<string> {
    const token = await aLiveAccessToken(context);
    const { data } = (await ask(apiUrl, token, { query, variables: { input } })) as Made;
    if (!data || data.made.message !== undefined) throw new Error(data?.made.message ?? 'nothing was done');
    return data.made.post?.id ?? '';
  }

  async function waiting(): Promise<RealPost[]> {
    const posts = await realPosts(context, { apiUrl, since: 0, organizationId });
    return posts
      .filter((post) => post.channelId === channelId && isWaiting(post))
      .toSorted((a, b) => dueOf(a) - dueOf(b));
  }

  const order = async () => (await waiting()).map(({ id }) => id);

  const queue: Queue = {
    channelId,
    order,
    async firstDue() {
      const [first] = await waiting();
      return first ? dueOf(first) : Number.POSITIVE_INFINITY;
    },
    move: async (id, position) => void (await make(MOVE, { id, position })),
    remove: async (id) => void (await make(REMOVE, { id })),
    add: (input = {}) =>
      make(ADD, { channelId, schedulingType: 'automatic', mode: 'addToQueue', text: 'Hello', ...input }),
    async fill(count) {
      for (const id of await order()) await queue.remove(id);
      const ids: string[] = [];
      while (ids.length < count) ids.push(await queue.add({ text: `Post ${ids.length}` }));
      return ids;
    },
  };
  return queue;
}
