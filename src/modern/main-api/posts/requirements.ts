import { type ApiContext, ownChannel, ownOrganization } from '../context.ts';
import type { ChannelRecord } from '../directory.ts';
import { utcDayOf, statusOn } from '../queue/daily-limits.ts';
import { ApiRefusal } from '../refusal.ts';

const MOST_TAGS = 50;
const MOST_UNSENT = 5000;

/** The channel if the channel belongs to the caller. Refuses every other channel. */
export function requireChannel(context: ApiContext, channelId: string): ChannelRecord {
  const channel = ownChannel(context, channelId);
  if (!channel) throw new ApiRefusal('NotFoundError', 'Channel not found');
  return channel;
}

/** Refuses a disconnected or locked channel, because such a channel publishes no posts. */
export function requireUsable(channel: ChannelRecord): void {
  if (channel.isDisconnected)
    throw new ApiRefusal(
      'UnauthorizedError',
      'The channel is disconnected. Connect it again, then try once more.',
    );
  if (channel.isLocked)
    throw new ApiRefusal(
      'UnauthorizedError',
      'The channel is locked: the plan of the organization does not cover it.',
    );
}

/** The problems of tags: too many tags, or a tag of another organization. */
export function tagProblems(
  context: ApiContext,
  organizationId: string,
  tagIds: readonly string[],
): string[] {
  if (tagIds.length > MOST_TAGS) return [`At most ${MOST_TAGS} tags are allowed.`];
  const known = new Set(context.data.posts.tagsOfOrganization(organizationId).map(({ id }) => id));
  return tagIds.every((id) => known.has(id)) ? [] : ['Each tag must be one of the organization.'];
}

/** The problem of an idea outside the organization. A post without an idea has no problem. */
export const linkedIdeaProblems = (
  { data }: ApiContext,
  organizationId: string,
  ideaId: string | null | undefined,
): string[] =>
  !ideaId || data.ideas.has(organizationId, ideaId) ? [] : ['The idea must be one of the organization.'];

/**
 * Refuses a post when the organization already holds MOST_UNSENT posts that are not sent. The limit of the plan counts
 * only scheduled posts, and would let drafts grow without bound.
 */
export function requireFewUnsent({ data }: ApiContext, organizationId: string): void {
  if (data.posts.countUnsent(organizationId) >= MOST_UNSENT)
    throw new ApiRefusal(
      'LimitReachedError',
      `An organization can hold ${MOST_UNSENT} posts that are not sent. Delete one first.`,
    );
}

/** The old API's error code for "update limit". */
const UPDATE_LIMIT = 1023;

interface PlannedPost {
  postId: string;
  dueAt: number;
  /** The present `dueAt` of the post. Null when the post is not scheduled. */
  before: number | null;
}

/**
 * Refuses when the network takes no more posts of the channel on the day. The real service checks posts with the code
 * of the old API. This limit is therefore a RestProxyError with the old API's error code. [inferred]
 */
export function requireRoomOnDay(
  { data }: ApiContext,
  channel: ChannelRecord,
  { postId, dueAt, before }: PlannedPost,
): void {
  if (before !== null && utcDayOf(channel, before).start === utcDayOf(channel, dueAt).start) return;
  const { isAtLimit, limit } = statusOn(data.posts, channel, { instant: dueAt, except: postId });
  if (isAtLimit)
    throw new ApiRefusal(
      'RestProxyError',
      `This channel takes ${limit} posts a day. Choose another day.`,
      UPDATE_LIMIT,
    );
}

/** Refuses when the plan of the organization allows no further scheduled post. */
export function requireRoom(context: ApiContext, organizationId: string): void {
  const limit = ownOrganization(context, organizationId)?.limits.scheduledPosts ?? 0;
  if (context.data.posts.countScheduled(organizationId) >= limit)
    throw new ApiRefusal(
      'LimitReachedError',
      `The plan allows ${limit} scheduled posts. Wait for one to be sent, or delete one.`,
    );
}
