import { findListLengths, forgetLengths, lengthenList } from '../../store/posts/post-answers.ts';
import type { Post } from '../../upstream/posts/post.ts';
import { withoutCacheFaults } from '../grants/refresh/answer-cache.ts';
import type { Context } from '../context.ts';
import { nameOfPending, nameOfSent } from './lists/lists.ts';

/** How many posts the lists of a channel had when they were last read to their ends; what was never read is absent. */
export interface KnownCounts {
  pending?: number;
  sent?: number;
}

/** What is known of the lists of a grant's channels; nothing is asked for it. */
export async function knownCounts(
  context: Context,
  grantId: string,
): Promise<(channelId: string) => KnownCounts | undefined> {
  const lengths = await withoutCacheFaults(context, grantId, () => findListLengths(context.store, grantId));
  return (channelId) => {
    const [pending, sent] = [nameOfPending, nameOfSent].map((nameOf) => lengths?.get(nameOf(channelId)));
    if (pending === undefined && sent === undefined) return undefined;
    return { ...(pending === undefined ? {} : { pending }), ...(sent === undefined ? {} : { sent }) };
  };
}

/** A post that was just made is one more in the queue of its channel, where the number of its posts is known. */
export async function countNewPost(context: Context, grantId: string, post: Post): Promise<void> {
  if (post.status !== 'scheduled') return;
  const what = nameOfPending(post.channelId);
  await withoutCacheFaults(context, grantId, () => lengthenList(context.store, { grantId, what }));
}

/** A write that may have moved posts into a queue or out of it; `channelId` is the post's, where that is known. */
export async function forgetCounts(
  context: Context,
  grantId: string,
  channelId: string | undefined,
): Promise<void> {
  const whats = channelId === undefined ? undefined : [nameOfPending(channelId), nameOfSent(channelId)];
  await withoutCacheFaults(context, grantId, () => forgetLengths(context.store, grantId, whats));
}
