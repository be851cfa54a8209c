import { brokenRuleMessages } from '../../text-rules.ts';
import type { ApiContext } from '../context.ts';
import type { ChannelRecord } from '../directory.ts';
import { payloadOf, ApiRefusal } from '../refusal.ts';
import type { PostContent, PostRecord, PostStatus } from './data.ts';
import type { EditPostInput } from './inputs.ts';
import { ownPost } from './list.ts';
import { mergedMetadata } from './merged-metadata.ts';
import { changedTiming, type PostPlan } from './plan.ts';
import { presentPost } from './present/present.ts';
import { invalidPost, WAITS_AS_DRAFT } from './refusal.ts';
import { requireChannel, requireUsable } from './requirements.ts';
import { metadataFor } from './networks.ts';
import { millis, type TimingInput } from './timing.ts';

const wasSent = () => invalidPost(['A post that was sent cannot be edited.']);

const editedContent = (old: PostContent, input: EditPostInput): PostContent => ({
  ...old,
  text: input.text === undefined ? old.text : (input.text ?? ''),
  assets: input.assets ?? old.assets,
  schedulingType: input.schedulingType ?? old.schedulingType,
  ideaId: input.ideaId ?? old.ideaId,
  source: input.source ?? old.source,
  aiAssisted: input.aiAssisted ?? old.aiAssisted,
});

function holdOf({ saveToDraft, approvalChange }: EditPostInput): TimingInput['hold'] {
  if (approvalChange === 'request') return 'needs_approval';
  return approvalChange === 'revert' || saveToDraft === true ? 'draft' : null;
}

/** The timing that the input asks for. Null when the input leaves the timing as before. */
function wishOf(post: PostRecord, input: EditPostInput): TimingInput | null {
  const hold = holdOf(input);
  const mode = input.mode ?? (hold === null ? null : post.shareMode);
  return mode === null ? null : { postId: post.id, mode, dueAt: millis(input.dueAt) ?? post.dueAt, hold };
}

/** The contradictions between the input and the status. An input may ask for the status that the post already has. */
function contradictionsOf(status: PostStatus, { approvalChange, saveToDraft }: EditPostInput): string[] {
  const isDraft = status === 'draft' || status === 'needs_approval';
  return brokenRuleMessages([
    [approvalChange === 'request' && saveToDraft === false, WAITS_AS_DRAFT],
    [approvalChange === 'request' && !isDraft, 'Only a draft can ask for approval.'],
    [approvalChange === 'revert' && !isDraft, 'This post does not wait for approval.'],
  ]);
}

function planFor(
  post: PostRecord,
  input: EditPostInput,
  channel: ChannelRecord,
): PostPlan & { before: PostRecord } {
  const { own, foreign } = metadataFor(channel.service, input.metadata);
  const content = editedContent(post.content, input);
  return {
    channel,
    content: { ...content, metadata: mergedMetadata(channel.service, content.metadata, own) },
    foreign,
    tagIds: input.tagIds ?? null,
    ideaId: input.ideaId ?? null,
    wish: wishOf(post, input),
    contradictions: contradictionsOf(post.status, input),
    before: post,
  };
}

function requireEditable(context: ApiContext, postId: string): PostRecord {
  const post = ownPost(context, postId);
  if (!post) throw new ApiRefusal('NotFoundError', 'Post not found');
  if (post.status === 'sent' || post.status === 'sending') throw wasSent();
  return post;
}

function changePost(input: EditPostInput, context: ApiContext, now: number): PostRecord {
  const post = requireEditable(context, input.id);
  const channel = requireChannel(context, post.channelId);
  const plan = planFor(post, input, channel);
  if (plan.wish?.hold === null) requireUsable(channel);
  const { status, shareMode, dueAt, sentAt } = changedTiming(plan, context, now);
  const errorMessage = status === 'error' ? post.errorMessage : null;
  const changed = {
    ...post,
    status,
    shareMode,
    dueAt,
    sentAt,
    errorMessage,
    content: plan.content,
    updatedAt: now,
  };
  if (!context.data.posts.change(changed)) throw wasSent();
  if (plan.tagIds) context.data.posts.setTags(post.id, plan.tagIds);
  return changed;
}

/** Changes a post that is not sent yet, or answers with the union member for the refusal. */
export function editPost({ input }: { input: EditPostInput }, context: ApiContext) {
  const now = Date.now();
  return payloadOf(() => {
    const post = context.data.posts.write(now, () => changePost(input, context, now));
    return { __typename: 'PostActionSuccess' as const, post: presentPost(post, context) };
  });
}
