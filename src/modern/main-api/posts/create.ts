import type { ApiContext } from '../context.ts';
import type { ChannelRecord } from '../directory.ts';
import { newObjectId } from '../object-id.ts';
import { payloadOf } from '../refusal.ts';
import { WAITS_AS_DRAFT } from './refusal.ts';
import type { PostContent, PostRecord } from './data.ts';
import type { CreatePostInput } from './inputs.ts';
import { newTiming, type PostPlan } from './plan.ts';
import { presentPost } from './present/present.ts';
import { requireChannel, requireFewUnsent, requireUsable } from './requirements.ts';
import { metadataFor } from './networks.ts';
import { millis, type TimingInput } from './timing.ts';

function holdOf({ saveToDraft, needsApproval }: CreatePostInput): TimingInput['hold'] {
  if (needsApproval) return 'needs_approval';
  return saveToDraft === true ? 'draft' : null;
}

const contentOf = (input: CreatePostInput, authorId: string): Omit<PostContent, 'metadata'> => ({
  text: input.text ?? '',
  assets: input.assets,
  schedulingType: input.schedulingType,
  via: 'api',
  authorId,
  ideaId: input.ideaId ?? null,
  source: input.source ?? null,
  aiAssisted: input.aiAssisted ?? false,
});

interface PostCreation {
  input: CreatePostInput;
  channel: ChannelRecord;
  authorId: string;
  now: number;
}

function planFor({ input, channel, authorId, now }: PostCreation): PostPlan & { wish: TimingInput } {
  const { own, foreign } = metadataFor(channel.service, input.metadata);
  return {
    channel,
    content: { ...contentOf(input, authorId), metadata: own },
    foreign,
    tagIds: input.tagIds ?? [],
    ideaId: input.ideaId ?? null,
    wish: { postId: newObjectId(now), mode: input.mode, dueAt: millis(input.dueAt), hold: holdOf(input) },
    contradictions: input.saveToDraft === false && input.needsApproval ? [WAITS_AS_DRAFT] : [],
    before: undefined,
  };
}

function addPost(input: CreatePostInput, context: ApiContext, now: number): PostRecord {
  const channel = requireChannel(context, input.channelId);
  requireUsable(channel);
  const plan = planFor({ input, channel, authorId: context.caller.accountId, now });
  const post: PostRecord = {
    id: plan.wish.postId,
    organizationId: channel.organizationId,
    channelId: channel.id,
    createdAt: now,
    updatedAt: now,
    errorMessage: null,
    content: plan.content,
    ...newTiming(plan, context, now),
  };
  if (post.status !== 'sent') requireFewUnsent(context, channel.organizationId);
  context.data.posts.add(post);
  context.data.posts.setTags(post.id, plan.tagIds ?? []);
  return post;
}

/** Makes a post in one transaction, or answers with the union member for the refusal. A refusal leaves no rows. */
export function createPost({ input }: { input: CreatePostInput }, context: ApiContext) {
  const now = Date.now();
  return payloadOf(() => {
    const post = context.data.posts.write(now, () => addPost(input, context, now));
    return { __typename: 'PostActionSuccess' as const, post: presentPost(post, context) };
  });
}
