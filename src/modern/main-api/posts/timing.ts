import type { ApiContext } from '../context.ts';
import type { ChannelRecord } from '../directory.ts';
import { firstPlace, nextFreePlace } from '../queue/places.ts';
import type { PostTiming } from './data.ts';
import type { ShareMode } from './inputs.ts';
import { HORIZON_DAYS } from './queue.ts';

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

interface Place {
  wish: Wish;
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

/** The timing that fulfils a wish without problems; refuses when the queue has no time left. */
export function timingFor(place: Place): PostTiming {
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
