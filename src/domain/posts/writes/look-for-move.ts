import { settleWrite } from '../../../store/posts/write-journal.ts';
import type { WrittenPost } from '../../../upstream/posts/written-post.ts';
import type { PostsDeps } from '../deps.ts';
import { contentOfMove } from '../../ids/updates/content-digest.ts';
import { isOf } from './is-of-row.ts';
import { type ChannelRow, isInChannel } from './look-reads.ts';
import type { WriteSearch, WriteObservation } from './sight.ts';

/** Looks whether a post has the place that a move in doubt would produce: first or last in its queue. */

const POSITIONS = ['top', 'bottom'] as const;

/** Posts with a time of their own may stand before the first post of the queue, or after its last. */
const isInQueue = ({ shareMode }: WrittenPost) => shareMode !== 'customScheduled';

/** The place to which the row moves its post; undefined where the key of the digest is gone. */
function positionOf(context: PostsDeps, row: ChannelRow, postId: string) {
  const { channel_id: channelId } = row;
  return POSITIONS.find((position) => isOf(context, row, contentOfMove({ channelId, postId, position })));
}

/**
 * A move is planned only where the move changes the order. Therefore a post at its target place proves the move. A post
 * at another place proves nothing: another move may have followed.
 * @throws {GrantDead | Forbidden | OrganizationGone | LimitReached | Unavailable}
 */
export async function lookForMove(
  context: PostsDeps,
  { row, reads }: WriteSearch,
): Promise<WriteObservation> {
  if (row.post_id === null || !isInChannel(row)) return { kind: 'unclear' };
  const position = positionOf(context, row, row.post_id);
  if (!position) return { kind: 'unclear' };
  const post = (await reads.queueFrom(row, position)).find(isInQueue);
  if (post?.id !== row.post_id) return { kind: 'unclear' };
  const now = context.clock.now();
  const isSettled = await settleWrite(context.store.durable, row.id, { state: 'found', now });
  return isSettled ? { kind: 'found', post } : { kind: 'not_looked' };
}
