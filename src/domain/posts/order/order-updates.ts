import { WRITE_ANSWERED_WITHIN } from '../../../shared/lifetimes.ts';
import type { WrittenPost } from '../../../upstream/posts/written-post.ts';
import type { PostsDeps } from '../deps.ts';
import type { Caller } from '../../ids/match-ids.ts';
import { requireWrites } from '../../limits/fair-shares.ts';
import { withTimeout } from '../../work/with-timeout.ts';
import { badValue } from '../../translation/call-fields.ts';
import type { WantedOrder } from '../../translation/queue-order.ts';
import { type CallerChannel, channelOfProfile } from '../caller-channel.ts';
import { namedPosts } from '../ids/named-posts.ts';
import { requireScope } from '../scope-missing.ts';
import { arrange, isArranged, type NamedOrder } from './arrange.ts';
import { drawOrder } from './draw-order.ts';
import { makeMoves, type MovesResult, type OrderRequest } from './make-moves.ts';
import { MOST_MOVES } from './most-moves.ts';
import { type Move, planMoves } from './plan-moves.ts';
import { isMovable, placesOf, readQueue, requestsFor } from './read-queue.ts';

/**
 * Changes the order of a channel's queue, for the old calls `reorder` and `shuffle`: read the queue, plan the fewest
 * moves, make the moves one after the other, read the order again.
 */

export interface OrderEnd extends MovesResult {
  /** The number of moves that the order needs. */
  planned: number;
  /** Whether the queue has the requested order. */
  isReached: boolean;
  /** The queue after the last move; undefined where it could not be read, or where the first move was refused. */
  posts: WrittenPost[] | undefined;
}

/** The channel whose queue a call may change; undefined where the caller reaches no channel of this id. */
export async function channelToOrder(
  context: PostsDeps,
  caller: Caller,
  profileId: string,
): Promise<CallerChannel | undefined> {
  for (const scope of ['posts:write', 'posts:read']) await requireScope(context, caller.mapping, scope);
  return channelOfProfile(context, caller, profileId);
}

/** @throws {FieldRefused} */
function requireFew(moves: readonly Move[]): void {
  if (moves.length <= MOST_MOVES) return;
  const why = `needs ${moves.length} moves, and a call makes ${MOST_MOVES} at most. Nothing was moved. Name fewer updates, or such that stand near the top or the end of the buffer`;
  throw badValue('order', why);
}

/** Refuses a call that its budget would stop half-way. The `length` posts are read once more after the moves. */
function requireBudgetFor(
  context: PostsDeps,
  { writer }: OrderRequest,
  { moves, length }: { moves: readonly Move[]; length: number },
): void {
  const { modern_client_id: modernClientId, client_id: clientId } = writer.mapping;
  const requests = moves.length + requestsFor(length);
  if (moves.length > 0) requireWrites(context, { modernClientId, clientId }, requests);
}

/** The order after the moves; undefined where the queue could not be read while the caller waits. */
async function reachedOrder(
  context: PostsDeps,
  { writer, channel }: OrderRequest,
): Promise<WrittenPost[] | undefined> {
  const left = writer.came + WRITE_ANSWERED_WITHIN - context.clock.elapsed();
  if (left <= 0) return undefined;
  try {
    return await withTimeout(readQueue(context, writer, channel), left);
  } catch (error) {
    context.logger.warn('the order of a queue could not be read after a reorder', {
      channelId: channel.id,
      error,
    });
    return undefined;
  }
}

/** @throws {FieldRefused | BudgetSpent} nothing was moved */
async function bringInto(
  context: PostsDeps,
  ordering: OrderRequest,
  { posts, wanted }: { posts: WrittenPost[]; wanted: NamedOrder },
): Promise<OrderEnd> {
  const target = arrange(placesOf(posts), wanted);
  const moves = planMoves(
    posts.filter(isMovable).map(({ id }) => id),
    target,
  );
  requireFew(moves);
  requireBudgetFor(context, ordering, { moves, length: posts.length });
  const done = await makeMoves(context, ordering, moves);
  if (done.made === 0 && done.stop?.kind === 'not_sent') throw done.stop.error;
  const isRefused = done.made === 0 && done.stop?.kind === 'refused';
  const unread = { ...done, planned: moves.length, isReached: false, posts: undefined };
  if (isRefused) return unread;
  const reached = moves.length === 0 ? posts : await reachedOrder(context, ordering);
  return reached ? { ...unread, isReached: isArranged(placesOf(reached), wanted), posts: reached } : unread;
}

/**
 * Changes a queue to the order that a call names.
 * @throws {FieldRefused | BudgetSpent | GrantDead | TokenRefused | ScopeMissing | Forbidden | OrganizationGone | Unavailable}
 * nothing was moved
 */
export async function reorderQueue(
  context: PostsDeps,
  ordering: OrderRequest & Pick<CallerChannel, 'ids'>,
  wanted: WantedOrder,
): Promise<OrderEnd> {
  const posts = await withTimeout(readQueue(context, ordering.writer, ordering.channel));
  const { writer, ids } = ordering;
  const told = { mapping: writer.mapping, ids };
  const named = await namedPosts(context, told, { posts, names: wanted.ids });
  return bringInto(context, ordering, { posts, wanted: { ...wanted, ids: named, names: wanted.ids } });
}

export interface ShuffleEnd extends OrderEnd {
  /** The number of drawn updates, and the number of movable updates. */
  drawn: number;
  outOf: number;
}

/**
 * Shuffles a queue, or as many updates as the moves of one call allow.
 * @throws as `reorderQueue`
 */
export async function shuffleQueue(context: PostsDeps, ordering: OrderRequest): Promise<ShuffleEnd> {
  const posts = await withTimeout(readQueue(context, ordering.writer, ordering.channel));
  const movable = posts.filter(isMovable).map(({ id }) => id);
  const ids = drawOrder(movable, () => context.chance());
  const end = await bringInto(context, ordering, { posts, wanted: { ids, offset: 0 } });
  return { ...end, drawn: ids.length, outOf: movable.length };
}
