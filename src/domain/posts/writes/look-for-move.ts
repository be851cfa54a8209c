import { settleWrite } from '../../../store/posts/write-journal.ts';
import type { WrittenPost } from '../../../upstream/posts/written-post.ts';
import type { Context } from '../../context.ts';
import { contentOfMove } from '../../ids/updates/content-digest.ts';
import { isOf } from './is-of-row.ts';
import { type ChannelRow, isInChannel } from './look-reads.ts';
import type { Looking, Observation } from './sight.ts';

/** Looks whether a post stands where a move in doubt would bring it: first in its queue, or last. */

const POSITIONS = ['top', 'bottom'] as const;

/** Posts with times of their own may stand before the first one of the queue, or behind its last. */
const isInQueue = ({ shareMode }: WrittenPost) => shareMode !== 'customScheduled';

/** Where the move of a row brings its post; undefined under a key that is not there any more. */
function positionOf(context: Context, row: ChannelRow, postId: string) {
  const { channel_id: channelId } = row;
  return POSITIONS.find((position) => isOf(context, row, contentOfMove({ channelId, postId, position })));
}

/**
 * A move is planned only where it changes the order, so that a post at its place was moved. Elsewhere nothing is proven:
 * another move may have come after it.
 * @throws {GrantDead | Forbidden | OrganizationGone | ReadGivesWay | Unavailable}
 */
export async function lookForMove(context: Context, { row, reads }: Looking): Promise<Observation> {
  if (row.post_id === null || !isInChannel(row)) return { kind: 'unclear' };
  const position = positionOf(context, row, row.post_id);
  if (!position) return { kind: 'unclear' };
  const post = (await reads.queueFrom(row, position)).find(isInQueue);
  if (post?.id !== row.post_id) return { kind: 'unclear' };
  const now = context.clock.now();
  const isSettled = await settleWrite(context.store.durable, row.id, { state: 'found', now });
  return isSettled ? { kind: 'found', post } : { kind: 'not_looked' };
}
