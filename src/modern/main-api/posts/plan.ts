import type { ApiContext } from '../context.ts';
import type { ChannelRecord } from '../directory.ts';
import type { PostContent, PostTiming } from './data.ts';
import { invalidPost } from './refusal.ts';
import { ideaProblems, requireRoom, requireRoomOnDay, tagProblems } from './requirements.ts';
import { contentProblems } from './rules.ts';
import { timeProblems, timingFor, type Wish } from './timing.ts';

/** What a mutation would make of a post. */
export interface Plan {
  channel: ChannelRecord;
  content: PostContent;
  /** Entries of the metadata that belong to other services. */
  foreign: string[];
  tagIds: string[] | null;
  /** Of the input; null leaves the post's idea as it is. */
  ideaId: string | null;
  /** Null leaves the timing as it is. */
  wish: Wish | null;
  /** What the input itself says that cannot be. */
  contradictions: string[];
  /** How things stand now; undefined for a new post. */
  before: PostTiming | undefined;
}

const foreignProblems = (foreign: string[]) =>
  foreign.map((key) => `Metadata for ${key} does not fit this channel.`);

function problemsOf(plan: Plan, context: ApiContext, now: number): string[] {
  const { channel, content, foreign, tagIds, ideaId, wish, contradictions, before } = plan;
  const isDraft = wish ? wish.hold === 'draft' : before?.status === 'draft';
  return [
    ...contradictions,
    ...foreignProblems(foreign),
    ...contentProblems(content, channel, isDraft),
    ...(wish ? timeProblems(wish, now) : []),
    ...(tagIds ? tagProblems(context, channel.organizationId, tagIds) : []),
    ...ideaProblems(context, channel.organizationId, ideaId),
  ];
}

function requireValid(plan: Plan, context: ApiContext, now: number): void {
  const problems = problemsOf(plan, context, now);
  if (problems.length > 0) throw invalidPost(problems);
}

interface Timed extends Pick<Plan, 'channel' | 'before'> {
  wish: Wish;
  context: ApiContext;
}

/** A draft, and a post that waits for approval, take no place of a day. */
function requireRoomFor({ status, dueAt }: PostTiming, { channel, before, wish, context }: Timed): void {
  if (dueAt === null || (status !== 'scheduled' && status !== 'sent')) return;
  const earlier = before?.status === 'scheduled' ? before.dueAt : null;
  requireRoomOnDay(context, channel, { postId: wish.postId, dueAt, before: earlier });
}

/** The timing that a wish leads to, moving other posts of the queue where it must; refuses what has problems. */
export function newTiming(plan: Plan & { wish: Wish }, context: ApiContext, now: number): PostTiming {
  requireValid(plan, context, now);
  const { channel, wish, before } = plan;
  const timing = timingFor({ wish, channel, context, now });
  if (timing.status === 'scheduled' && before?.status !== 'scheduled')
    requireRoom(context, channel.organizationId);
  requireRoomFor(timing, { ...plan, context });
  return timing;
}

/** As newTiming; without a wish the timing stays as it is. */
export function changedTiming(
  plan: Plan & { before: PostTiming },
  context: ApiContext,
  now: number,
): PostTiming {
  const { wish, before } = plan;
  if (wish) return newTiming({ ...plan, wish }, context, now);
  requireValid(plan, context, now);
  return before;
}
