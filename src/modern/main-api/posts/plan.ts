import type { ApiContext } from '../context.ts';
import type { ChannelRecord } from '../directory.ts';
import type { PostContent, PostRecord, PostTiming } from './data.ts';
import { invalidPost } from './refusal.ts';
import { linkedIdeaProblems, requireRoom, requireRoomOnDay, tagProblems } from './requirements.ts';
import { contentProblems, countAssets } from './rules.ts';
import { timeProblems, timingFor, type TimingInput } from './timing.ts';

/** The post that a mutation would make or change, before the checks. */
export interface PostPlan {
  channel: ChannelRecord;
  content: PostContent;
  /** Entries of the metadata that belong to other services. */
  foreign: string[];
  tagIds: string[] | null;
  /** The idea in the input. Null leaves the idea of the post unchanged. */
  ideaId: string | null;
  /** Null leaves the timing unchanged. */
  wish: TimingInput | null;
  /** Messages about contradictions in the input, or between the input and the status. */
  contradictions: string[];
  /** The stored post; undefined for a new one. */
  before: PostRecord | undefined;
}

const foreignProblems = (foreign: string[]) =>
  foreign.map((key) => `Metadata for ${key} does not fit this channel.`);

function problemsOf(plan: PostPlan, context: ApiContext, now: number): string[] {
  const { channel, content, foreign, tagIds, ideaId, wish, contradictions, before } = plan;
  const isDraft = wish ? wish.hold === 'draft' : before?.status === 'draft';
  const assetsBefore = before ? countAssets(before.content) : 0;
  return [
    ...contradictions,
    ...foreignProblems(foreign),
    ...contentProblems(content, channel, { isDraft, assetsBefore }),
    ...(wish ? timeProblems(wish, now) : []),
    ...(tagIds ? tagProblems(context, channel.organizationId, tagIds) : []),
    ...linkedIdeaProblems(context, channel.organizationId, ideaId),
  ];
}

function requireValid(plan: PostPlan, context: ApiContext, now: number): void {
  const problems = problemsOf(plan, context, now);
  if (problems.length > 0) throw invalidPost(problems);
}

interface TimedPost extends Pick<PostPlan, 'channel' | 'before'> {
  wish: TimingInput;
  context: ApiContext;
}

/** Checks the limit of the day. A draft, and a post that waits for approval, do not count for the day. */
function requireRoomFor({ status, dueAt }: PostTiming, { channel, before, wish, context }: TimedPost): void {
  if (dueAt === null || (status !== 'scheduled' && status !== 'sent')) return;
  const earlier = before?.status === 'scheduled' ? before.dueAt : null;
  requireRoomOnDay(context, channel, { postId: wish.postId, dueAt, before: earlier });
}

/** Checks a plan and gives the timing of the wish. May move other posts of the queue. Refuses a plan with problems. */
export function newTiming(
  plan: PostPlan & { wish: TimingInput },
  context: ApiContext,
  now: number,
): PostTiming {
  requireValid(plan, context, now);
  const { channel, wish, before } = plan;
  const timing = timingFor({ wish, channel, context, now });
  if (timing.status === 'scheduled' && before?.status !== 'scheduled')
    requireRoom(context, channel.organizationId);
  requireRoomFor(timing, { ...plan, context });
  return timing;
}

/** Like newTiming. Without a wish, checks the plan and keeps the timing. */
export function changedTiming(
  plan: PostPlan & { before: PostTiming },
  context: ApiContext,
  now: number,
): PostTiming {
  const { wish, before } = plan;
  if (wish) return newTiming({ ...plan, wish }, context, now);
  requireValid(plan, context, now);
  return before;
}
