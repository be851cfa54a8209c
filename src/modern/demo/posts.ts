import { DateTime } from 'luxon';
import type { ChannelRecord } from '../main-api/directory.ts';
import type { PostContent, PostRecord } from '../main-api/posts/data.ts';
import { nextFreeTimes } from '../main-api/posts/queue.ts';
import type { ModernStore } from '../store/store.ts';
import { demoChannels } from './channels.ts';
import { demoPeople } from './people.ts';
import { bakeryPosts } from './post-bakery.ts';
import type { DemoPost } from './post-plan.ts';
import { recordPosts, runnerPosts } from './post-runners.ts';
import { demoTags } from './post-tags.ts';

/** A post was made this long before its due time, or before now if now is earlier. */
const LEAD = 20 * 3_600_000;
const MINUTE = 60_000;

const idOf = (index: number) => `5e1f0c9a7b3d4e2f8a6c6d${(index + 1).toString(16).padStart(2, '0')}`;

function channelOf({ channel }: DemoPost): ChannelRecord {
  const found = demoChannels.find(({ id }) => id.endsWith(channel));
  if (!found) throw new Error(`no demo channel ${channel}`);
  return found;
}

function instantOf({ on: [days, time] }: DemoPost, zone: string, now: number): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  const clock = { hour, minute, second: 0, millisecond: 0 };
  return DateTime.fromMillis(now, { zone }).plus({ days }).set(clock).toMillis();
}

const ownerOf = (organizationId: string) =>
  demoPeople.find(({ organizations }) => organizations.some(({ id }) => id === organizationId))?.account.id;

const contentOf = (plan: DemoPost, channel: ChannelRecord): PostContent => ({
  text: plan.text,
  assets: plan.assets ?? [],
  metadata: plan.metadata ?? null,
  schedulingType: plan.via === 'network' ? null : (plan.schedulingType ?? 'automatic'),
  via: plan.via ?? 'api',
  authorId: ownerOf(channel.organizationId) ?? null,
  ideaId: null,
  source: null,
  aiAssisted: false,
});

/**
 * Makes the posts of the days around `now`. Store each post before the next is made: a queued post takes the next free
 * time of the stored queue.
 */
function postWriter({ posts }: ModernStore, now: number) {
  function dueOf(plan: DemoPost, channel: ChannelRecord): number {
    if (!plan.queued) return instantOf(plan, channel.timezone, now);
    const taken = posts.queueOf(channel.id).map(({ dueAt }) => dueAt);
    const times = nextFreeTimes(channel.postingSchedule, channel.timezone, { after: now, taken });
    return times.next().value ?? instantOf(plan, channel.timezone, now);
  }
  return (plan: DemoPost, index: number): PostRecord => {
    const channel = channelOf(plan);
    const due = dueOf(plan, channel);
    const createdAt = Math.min(due, now) - LEAD - index * MINUTE;
    const { id: channelId, organizationId } = channel;
    return {
      id: idOf(index),
      organizationId,
      channelId,
      status: plan.status,
      shareMode: plan.queued ? 'addToQueue' : 'customScheduled',
      createdAt,
      updatedAt: plan.status === 'sent' ? due : createdAt + MINUTE,
      dueAt: plan.status === 'draft' ? null : due,
      sentAt: plan.status === 'sent' ? due : null,
      errorMessage: plan.error ?? null,
      content: contentOf(plan, channel),
    };
  };
}

/**
 * Adds the tags. False when the first tag exists already. Tags cannot be deleted: an existing first tag shows that an
 * earlier start wrote the contents of the demo.
 */
export function seedTags({ posts }: ModernStore): boolean {
  const [isFirst] = demoTags.map((tag) => posts.addTag(tag));
  return isFirst === true;
}

/**
 * Forty posts of the first person over three weeks around `now`, and three posts of the second person. `now` is in Unix
 * milliseconds.
 */
export function seedPosts(store: ModernStore, now: number): void {
  const write = postWriter(store, now);
  for (const [index, plan] of [...bakeryPosts, ...runnerPosts, ...recordPosts].entries()) {
    const post = write(plan, index);
    store.posts.add(post);
    const tags = demoTags.filter(({ name }) => plan.tags?.includes(name));
    store.posts.setTags(
      post.id,
      tags.map(({ id }) => id),
    );
  }
}
