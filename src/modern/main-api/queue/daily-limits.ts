import { DateTime } from 'luxon';
import { type ApiContext, notFound, ownChannel } from '../context.ts';
import type { ChannelRecord } from '../directory.ts';
import { requireShortLists } from '../operations/filter-lists.ts';
import { postsPerDay } from '../networks/limits.ts';
import { badInput } from '../operations/paging.ts';
import type { PostsData } from '../posts/data.ts';

export interface DayStatus {
  channelId: string;
  sent: number;
  scheduled: number;
  limit: number | null;
  isAtLimit: boolean;
}

/** The day around `instant` in the channel's time zone. Both ends belong to the day, in Unix milliseconds. */
export function utcDayOf({ timezone }: ChannelRecord, instant: number) {
  const time = DateTime.fromMillis(instant, { zone: timezone });
  return { start: time.startOf('day').toMillis(), end: time.endOf('day').toMillis() };
}

/** Counts the sent and the scheduled posts on the day around `instant`, without the post `except`. */
export function statusOn(
  posts: PostsData,
  channel: ChannelRecord,
  { instant, except = '' }: { instant: number; except?: string },
): DayStatus {
  const { sent, scheduled } = posts.countOn(channel.id, utcDayOf(channel, instant), except);
  const limit = postsPerDay(channel.service);
  return {
    channelId: channel.id,
    sent,
    scheduled,
    limit,
    isAtLimit: limit !== null && sent + scheduled >= limit,
  };
}

function requireChannels(context: ApiContext, channelIds: readonly string[]): ChannelRecord[] {
  requireShortLists({ channelIds });
  const channels = [...new Set(channelIds)].map((id) => ownChannel(context, id));
  const known = channels.filter((channel) => channel !== undefined);
  if (known.length < channels.length) throw notFound('Channel');
  if (new Set(known.map(({ organizationId }) => organizationId)).size > 1)
    throw badInput('All channels in "channelIds" must belong to one organization');
  return known;
}

interface LimitsArguments {
  input: { channelIds: string[]; date?: string | null };
}

/** One entry for each channel, in the order of `channelIds`. The day is today when `date` is absent. */
export function dailyPostingLimits({ input }: LimitsArguments, context: ApiContext): DayStatus[] {
  const { posts } = context.data;
  const now = Date.now();
  const instant = typeof input.date === 'string' ? Date.parse(input.date) : now;
  const channels = requireChannels(context, input.channelIds);
  posts.publishDue(now);
  return channels.map((channel) => statusOn(posts, channel, { instant }));
}
