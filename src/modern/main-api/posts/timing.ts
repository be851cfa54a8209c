import type { ApiContext } from '../context.ts';
import type { ChannelRecord } from '../directory.ts';
import type { PostTiming, QueuedPost } from './data.ts';
import type { ShareMode } from './inputs.ts';
import { HORIZON_DAYS, nextFreeTimes } from './queue.ts';
import { invalidPost } from './refusal.ts';

const DAY = 86_400_000;

/** Unix milliseconds of a DateTime input, null where none was given. */
export const millis = (time: string | null | undefined) =>
  typeof time === 'string' ? Date.parse(time) : null;

/** When a post is to be published; `hold` keeps it from being scheduled at all. */
export interface Wish {
  postId: string;
  mode: ShareMode;
  dueAt: number | null;
  hold: 'draft' | 'needs_approval' | null;
}

/**
 * Why a wished time cannot be. Only customScheduled has one of its own; a draft has none, and a post that waits for
 * approval may do without.
 */
export function timeProblems({ mode, dueAt, hold }: Wish, now: number): string[] {
  if (mode !== 'customScheduled' || hold === 'draft') return [];
  if (dueAt === null) return hold === null ? ['dueAt is required for customScheduled.'] : [];
  if (dueAt <= now) return ['dueAt must lie in the future.'];
  return dueAt > now + HORIZON_DAYS * DAY ? ['dueAt must lie within the next two years.'] : [];
}

function take(times: Generator<number, void>): number {
  const { value } = times.next();
  if (typeof value === 'number') return value;
  throw invalidPost(['The posting schedule of this channel has no free time.']);
}

interface Place {
  wish: Wish;
  channel: ChannelRecord;
  context: ApiContext;
  now: number;
}

function othersOf({ wish, channel, context }: Place) {
  return context.data.posts.queueOf(channel.id).filter(({ id }) => id !== wish.postId);
}

function lastInQueue(place: Place): number {
  const { postingSchedule, timezone } = place.channel;
  const taken = othersOf(place).map(({ dueAt }) => dueAt);
  return take(nextFreeTimes(postingSchedule, timezone, { after: place.now, taken }));
}

const isFixed = ({ shareMode }: QueuedPost) => shareMode === 'customScheduled';

/** The first time of the queue; the posts that are in the way go one time further each, past those with fixed times. */
function firstInQueue(place: Place): number {
  const { channel, context, now } = place;
  const others = othersOf(place).filter(({ dueAt }) => dueAt > now);
  const taken = others.filter(isFixed).map(({ dueAt }) => dueAt);
  const times = nextFreeTimes(channel.postingSchedule, channel.timezone, { after: now, taken });
  const first = take(times);
  let last = first;
  for (const { id, dueAt } of others.filter((other) => !isFixed(other))) {
    if (dueAt > last) break;
    last = take(times);
    context.data.posts.move(id, last, now);
  }
  return first;
}

const scheduled = (shareMode: ShareMode, dueAt: number): PostTiming => ({
  status: 'scheduled',
  shareMode,
  dueAt,
  sentAt: null,
});

/** The timing that fulfils a wish without problems; refuses when the queue has no time left. */
export function timingFor(place: Place): PostTiming {
  const { wish, now } = place;
  const { mode: shareMode, dueAt, hold } = wish;
  const custom = shareMode === 'customScheduled' ? dueAt : null;
  if (hold !== null)
    return { status: hold, shareMode, dueAt: hold === 'draft' ? null : custom, sentAt: null };
  if (custom !== null) return scheduled(shareMode, custom);
  if (shareMode === 'shareNow') return { status: 'sent', shareMode, dueAt: now, sentAt: now };
  return scheduled(shareMode, shareMode === 'shareNext' ? firstInQueue(place) : lastInQueue(place));
}
