import type { ApiContext } from '../../context.ts';
import { withColorName } from '../../tag-colors.ts';
import type { PostRecord, PostStatus } from '../data.ts';
import { presentAssets } from './present-assets.ts';
import { presentMetadata } from './present-metadata.ts';

const always = ['viewPost', 'duplicatePost', 'deletePost'];
const changing = [
  'updatePost',
  'updatePostTags',
  'updatePostSchedule',
  'addPostToQueue',
  'publishPostNext',
  'publishPostNow',
];

/** Lists only actions that an operation of this API can carry out. */
const actions: Record<PostStatus, string[]> = {
  draft: [...always, ...changing, 'requestPostApproval'],
  needs_approval: [...always, ...changing, 'approvePost', 'revertPostApprovalRequest', 'movePostToDraft'],
  scheduled: [...always, ...changing, 'movePostToDraft', 'removePostScheduledTime'],
  sending: ['viewPost', 'duplicatePost'],
  sent: always,
  error: [...always, ...changing, 'movePostToDraft'],
};

function authorOf({ content }: PostRecord, { data }: ApiContext) {
  const account = content.authorId === null ? undefined : data.findAccount(content.authorId);
  if (!account) return null;
  const { id, email, avatar, name } = account;
  return { id, email, avatar, name, isDeleted: false };
}

/**
 * Makes the schema's type `Post`. The functions run only for fields that the query selects: they read the store, or go
 * through every asset of a post.
 */
export function presentPost(post: PostRecord, context: ApiContext) {
  const { data } = context;
  const channel = data.findChannel(post.channelId);
  if (!channel) throw new Error(`post ${post.id} has no channel`);
  const { content, errorMessage, status } = post;
  const isSent = status === 'sent';
  return {
    ...post,
    ...content,
    isCustomScheduled: post.shareMode === 'customScheduled',
    sharedNow: post.shareMode === 'shareNow',
    channel,
    channelService: channel.service,
    author: () => authorOf(post, context),
    externalLink: isSent && channel.externalLink !== null ? `${channel.externalLink}/posts/${post.id}` : null,
    notificationStatus: isSent && content.schedulingType === 'notification' ? 'notified' : null,
    error: errorMessage === null ? null : { message: errorMessage },
    assets: () => presentAssets(content.assets),
    metadata: () => presentMetadata(content, channel),
    tags: () => data.posts.tagsOf(post.id).map(withColorName),
    notes: [],
    allowedActions: actions[status],
  };
}
