import { type ApiContext, ownChannel, ownOrganization } from '../context.ts';
import type { ChannelRecord } from '../directory.ts';
import { dayOf, statusOn } from '../queue/daily-limits.ts';
import { Refusal } from '../refusal.ts';

const MOST_TAGS = 50;
const MOST_UNSENT = 5000;

/** The caller's channel; otherwise a refusal. */
export function requireChannel(context: ApiContext, channelId: string): ChannelRecord {
  const channel = ownChannel(context, channelId);
  if (!channel) throw new Refusal('NotFoundError', 'Channel not found');
  return channel;
}

/** Refuses when nothing can be published on the channel: it is disconnected or locked. */
export function requireUsable(channel: ChannelRecord): void {
  if (channel.isDisconnected)
    throw new Refusal(
      'UnauthorizedError',
      'The channel is disconnected. Connect it again, then try once more.',
    );
  if (channel.isLocked)
    throw new Refusal(
      'UnauthorizedError',
      'The channel is locked: the plan of the organization does not cover it.',
    );
}

/** The problems of tags that are not the organization's, or too many. */
export function tagProblems(
  context: ApiContext,
  organizationId: string,
  tagIds: readonly string[],
): string[] {
  if (tagIds.length > MOST_TAGS) return [`At most ${MOST_TAGS} tags are allowed.`];
  const known = new Set(context.data.posts.tagsOfOrganization(organizationId).map(({ id }) => id));
  return tagIds.every((id) => known.has(id)) ? [] : ['Each tag must be one of the organization.'];
}

/** The problem of an idea that is not the organization's; a post without one has none. */
export const ideaProblems = (
  { data }: ApiContext,
  organizationId: string,
  ideaId: string | null | undefined,
): string[] =>
  !ideaId || data.ideas.has(organizationId, ideaId) ? [] : ['The idea must be one of the organization.'];

/** Refuses when the organization holds so many posts that nobody plans them: plans count scheduled ones, not drafts. */
export function requireFewUnsent({ data }: ApiContext, organizationId: string): void {
  if (data.posts.countUnsent(organizationId) >= MOST_UNSENT)
    throw new Refusal(
      'LimitReachedError',
      `An organization can hold ${MOST_UNSENT} posts that are not sent. Delete one first.`,
    );
}

/** "Update limit", as the old API numbers it. */
const UPDATE_LIMIT = 1023;

interface Planned {
  postId: string;
  dueAt: number;
  /** When the post is due already; null while it is not scheduled. */
  before: number | null;
}

/**
 * Refuses when the network takes no more posts of the channel on the day. The real service asks the older generation's
 * code for what a post may, so that this limit is a RestProxyError with the code of that generation. [inferred]
 */
export function requireRoomOnDay(
  { data }: ApiContext,
  channel: ChannelRecord,
  { postId, dueAt, before }: Planned,
): void {
  if (before !== null && dayOf(channel, before).start === dayOf(channel, dueAt).start) return;
  const { isAtLimit, limit } = statusOn(data.posts, channel, { instant: dueAt, except: postId });
  if (isAtLimit)
    throw new Refusal(
      'RestProxyError',
      `This channel takes ${limit} posts a day. Choose another day.`,
      UPDATE_LIMIT,
    );
}

/** Refuses when the organization's plan allows no further scheduled post. */
export function requireRoom(context: ApiContext, organizationId: string): void {
  const limit = ownOrganization(context, organizationId)?.limits.scheduledPosts ?? 0;
  if (context.data.posts.countScheduled(organizationId) >= limit)
    throw new Refusal(
      'LimitReachedError',
      `The plan allows ${limit} scheduled posts. Wait for one to be sent, or delete one.`,
    );
}
