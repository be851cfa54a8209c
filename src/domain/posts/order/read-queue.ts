import type { PostsAccess } from '../../../upstream/posts/read-posts.ts';
import { readWrittenPage } from '../../../upstream/posts/read-posts.ts';
import type { WrittenPost } from '../../../upstream/posts/written-post.ts';
import type { PostsDeps } from '../deps.ts';
import { mainApiOf } from '../../grants/main-api-of.ts';
import { readWithAccessToken } from '../../grants/refresh/read-with-token.ts';
import { servedBy } from '../../tokens/resolve-token.ts';
import { FieldRefused } from '../../translation/call-fields.ts';
import { LONGEST_QUEUE } from '../../translation/queue-order.ts';
import { LISTS } from '../lists/lists.ts';
import { takeWrite } from '../../limits/fair-shares.ts';
import type { Writer } from '../writes/writes.ts';
import type { QueuedUpdate } from './arrange.ts';

/** Reads the whole queue of a channel now, in the order of the list of pending updates. */

export interface QueueChannel {
  id: string;
  organizationId: string;
}

/** The most posts in one answer of the new API. */
const MOST_AT_ONCE = 100;

const OUT_OF_BOUNDS = 1006;

/** The requests that a queue of this length costs. */
export const requestsFor = (length: number): number => Math.max(1, Math.ceil(length / MOST_AT_ONCE));

/** Each page is taken from the app's share of the budget before the request. */
async function readPages(
  asker: PostsAccess,
  channel: QueueChannel,
  takeRequest: () => void,
): Promise<WrittenPost[]> {
  const { question } = LISTS.pending(channel, 0);
  const posts: WrittenPost[] = [];
  for (let after: string | undefined; posts.length < LONGEST_QUEUE; ) {
    takeRequest();
    const page = await readWrittenPage(asker, question, { first: MOST_AT_ONCE, after });
    posts.push(...page.posts);
    if (page.next === undefined) return posts;
    after = page.next;
  }
  const message = `The buffer of this profile has more than ${LONGEST_QUEUE} updates: their order cannot be changed by a call.`;
  throw new FieldRefused('order', OUT_OF_BOUNDS, message);
}

/**
 * Reads a queue for a call that writes. The read is part of the write, and does not give way to other writes.
 * @throws {FieldRefused | BudgetSpent | GrantDead | TokenRefused | Forbidden | OrganizationGone | Unavailable}
 */
export function readQueue(
  context: PostsDeps,
  { mapping }: Writer,
  channel: QueueChannel,
): Promise<WrittenPost[]> {
  return servedBy(context, mapping, (grant) => {
    const takeRequest = () => takeWrite(context, grant);
    const mainApi = mainApiOf(context, grant);
    return readWithAccessToken(context, grant, (accessToken) =>
      readPages({ mainApi, accessToken, now: () => context.clock.now() }, channel, takeRequest),
    );
  });
}

/** The new API moves scheduled posts only. A move would remove the time of a post with a time of its own. */
export const isMovable = ({ status, shareMode, isCustomScheduled }: WrittenPost) =>
  status === 'scheduled' && !(isCustomScheduled ?? shareMode === 'customScheduled');

/** The facts of the queue that matter for its order. */
export const placesOf = (posts: readonly WrittenPost[]): QueuedUpdate[] =>
  posts.map((post) => ({ id: post.id, isMovable: isMovable(post) }));
