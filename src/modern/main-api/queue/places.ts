/**
 * Finds the place of a post in the queue of the channel, and moves the posts that are in the way. A post with a custom
 * time never moves for another post.
 */
import type { ApiContext } from '../context.ts';
import type { ChannelRecord } from '../directory.ts';
import type { QueuedPost } from '../posts/data.ts';
import { nextFreeTimes } from '../posts/queue.ts';
import { invalidPost } from '../posts/refusal.ts';

/** A post that needs a time in the queue of the channel. */
export interface QueueTimeRequest {
  postId: string;
  channel: ChannelRecord;
  context: ApiContext;
  now: number;
}

const isFixed = ({ shareMode }: QueuedPost) => shareMode === 'customScheduled';
const timesOf = (posts: QueuedPost[]) => posts.map(({ dueAt }) => dueAt);

const scheduledOn = ({ channel, context }: QueueTimeRequest) => context.data.posts.queueOf(channel.id);
const othersOf = (newcomer: QueueTimeRequest) =>
  scheduledOn(newcomer).filter(({ id }) => id !== newcomer.postId);

const freeTimes = ({ channel }: QueueTimeRequest, search: { after: number; taken: number[] }) =>
  nextFreeTimes(channel.postingSchedule, channel.timezone, search);

function take(times: Generator<number, void>): number {
  const { value } = times.next();
  if (typeof value === 'number') return value;
  throw invalidPost(['The posting schedule of this channel has no free time.']);
}

/** The next time of the posting schedule that no other post has. */
export function nextFreePlace(newcomer: QueueTimeRequest): number {
  return take(freeTimes(newcomer, { after: newcomer.now, taken: timesOf(othersOf(newcomer)) }));
}

/**
 * The first time of the queue. Each post in the way moves to the next time, past the posts with custom times. A paused
 * queue may hold posts whose time has passed. Such posts move too, because they would otherwise stay before the
 * newcomer.
 */
export function firstPlace(newcomer: QueueTimeRequest): number {
  const { context, now } = newcomer;
  const others = othersOf(newcomer);
  const times = freeTimes(newcomer, { after: now, taken: timesOf(others.filter(isFixed)) });
  const first = take(times);
  let last = first;
  for (const { id, dueAt } of others.filter((other) => !isFixed(other))) {
    if (dueAt > last) break;
    last = take(times);
    context.data.posts.move(id, last, now);
  }
  return first;
}

/**
 * The last time of the queue. Each post behind the newcomer takes the time of the post before. In a paused queue, no
 * post gets a time that has passed: free times behind the end of the queue replace the passed times.
 */
export function lastPlace(newcomer: QueueTimeRequest): number {
  const { postId, context, now } = newcomer;
  const all = scheduledOn(newcomer);
  const queue = all.filter((post) => !isFixed(post));
  const place = queue.findIndex(({ id }) => id === postId);
  const stretch = place < 0 ? [] : queue.slice(place);
  const end = Math.max(now, ...timesOf(queue.filter(({ id }) => id !== postId)));
  const further = freeTimes(newcomer, { after: end, taken: timesOf(all.filter(isFixed)) });
  const times = timesOf(stretch).filter((time) => time > now);
  const next = () => times.shift() ?? take(further);
  for (const { id, dueAt } of stretch.slice(1)) {
    const time = next();
    if (time !== dueAt) context.data.posts.move(id, time, now);
  }
  return next();
}
