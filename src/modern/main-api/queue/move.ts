import type { ApiContext } from '../context.ts';
import { ApiRefusal, voidPayloadOf } from '../refusal.ts';
import type { PostRecord } from '../posts/data.ts';
import { ownPost } from '../posts/list.ts';
import { presentPost } from '../posts/present/present.ts';
import { requireChannel } from '../posts/requirements.ts';
import { firstPlace, lastPlace } from './places.ts';

interface Input {
  id: string;
  position: 'top' | 'bottom';
}

const refuse = (message: string) => new ApiRefusal('VoidMutationError', message);

/** The post at the new place. A post with a custom time loses the custom time and joins the queue. */
function movedPost({ id, position }: Input, context: ApiContext, now: number): PostRecord {
  const post = ownPost(context, id);
  if (!post) throw refuse('Post not found');
  if (post.status !== 'scheduled') throw refuse('Only a scheduled post stands in a queue');
  const newcomer = { postId: id, channel: requireChannel(context, post.channelId), context, now };
  const dueAt = position === 'top' ? firstPlace(newcomer) : lastPlace(newcomer);
  const shareMode = post.shareMode === 'customScheduled' ? 'addToQueue' : post.shareMode;
  return { ...post, dueAt, shareMode, updatedAt: now };
}

/** Moves a scheduled post to the top or the bottom of the channel's queue, without a check of the content. */
export function movePostInQueue({ input }: { input: Input }, context: ApiContext) {
  const now = Date.now();
  const { posts } = context.data;
  return voidPayloadOf(() => {
    const post = posts.write(now, () => {
      const moved = movedPost(input, context, now);
      posts.change(moved);
      return moved;
    });
    return { __typename: 'PostActionSuccess' as const, post: presentPost(post, context) };
  });
}
