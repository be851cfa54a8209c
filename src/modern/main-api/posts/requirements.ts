import { type ApiContext, ownChannel, ownOrganization } from '../context.ts';
import type { ChannelRecord } from '../directory.ts';
import { Refusal } from './refusal.ts';

const MOST_TAGS = 50;

/** The caller's channel, connected and unlocked; otherwise a refusal. */
export function requireChannel(context: ApiContext, channelId: string): ChannelRecord {
  const channel = ownChannel(context, channelId);
  if (!channel) throw new Refusal('NotFoundError', 'Channel not found');
  return channel;
}

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

/** Refuses when the organization's plan allows no further scheduled post. */
export function requireRoom(context: ApiContext, organizationId: string): void {
  const limit = ownOrganization(context, organizationId)?.limits.scheduledPosts ?? 0;
  if (context.data.posts.countScheduled(organizationId) >= limit)
    throw new Refusal(
      'LimitReachedError',
      `The plan allows ${limit} scheduled posts. Wait for one to be sent, or delete one.`,
    );
}
