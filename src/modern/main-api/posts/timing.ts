import type { ApiContext } from '../context.ts';
import type { ChannelRecord } from '../directory.ts';
import { firstPlace, nextFreePlace } from '../queue/places.ts';
import type { PostTiming } from './data.ts';
import type { ShareMode } from './inputs.ts';
import { HORIZON_DAYS } from './queue.ts';

const DAY = 86_400_000;

/** A DateTime input as Unix milliseconds. Null when the input has no time. */
export const millis = (time: string | null | undefined) =>
  typeof time === 'string' ? Date.parse(time) : null;

/** The time at which the client wants a post published. A post with `hold` is not scheduled. */
export interface TimingInput {
  postId: string;
  mode: ShareMode;
  dueAt: number | null;
  hold: 'draft' | 'needs_approval' | null;
}

/**
 * The problems of a wished time. Only customScheduled uses the `dueAt` of the wish. A draft has no time, and a post
 * that waits for approval needs no time.
 */
export function timeProblems({ mode, dueAt, hold }: TimingInput, now: number): string[] {
  if (mode !== 'customScheduled' || hold === 'draft') return [];
  if (dueAt === null) return hold === null ? ['dueAt is required for customScheduled.'] : [];
  if (dueAt <= now) return ['dueAt must lie in the future.'];
  return dueAt > now + HORIZON_DAYS * DAY ? ['dueAt must lie within the next two years.'] : [];
}

interface TimingRequest {
  wish: TimingInput;
  channel: ChannelRecord;
  context: ApiContext;
  now: number;
}

const scheduled = (shareMode: ShareMode, dueAt: number): PostTiming => ({
  status: 'scheduled',
  shareMode,
  dueAt,
  sentAt: null,
});

/** The timing for a wish without problems. Refuses when the posting schedule has no free time. */
export function timingFor(place: TimingRequest): PostTiming {
  const { wish, channel, context, now } = place;
  const { mode: shareMode, dueAt, hold } = wish;
  const custom = shareMode === 'customScheduled' ? dueAt : null;
  if (hold !== null)
    return { status: hold, shareMode, dueAt: hold === 'draft' ? null : custom, sentAt: null };
  if (custom !== null) return scheduled(shareMode, custom);
  if (shareMode === 'shareNow') return { status: 'sent', shareMode, dueAt: now, sentAt: now };
  const newcomer = { postId: wish.postId, channel, context, now };
  return scheduled(shareMode, shareMode === 'shareNext' ? firstPlace(newcomer) : nextFreePlace(newcomer));
}
