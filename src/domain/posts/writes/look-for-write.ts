import { WRITE_CLOCKS_DIFFER, WRITE_LOOKS } from '../../../shared/lifetimes.ts';
import type { PostWriteRow } from '../../../store/posts/tables.ts';
import {
  claimLook,
  countEqualWrites,
  settleWrite,
  withoutWriter,
} from '../../../store/posts/write-journal.ts';
import { findPost, listPostsSince } from '../../../upstream/posts/find-posts.ts';
import type { WrittenPost } from '../../../upstream/posts/written-post.ts';
import type { GrantClient } from '../../ask-for-account.ts';
import type { Context } from '../../context.ts';
import { withAccessToken } from '../../grants/with-access-token.ts';
import { contentOfPost, contentsOfEdit } from './content-digest.ts';
import { notePostsChanged } from '../lists/post-cache.ts';

/**
 * Looks whether a write in doubt was done: one request for each look. That a post is not there proves nothing while the
 * new API may still be at it, so only time ends a doubt without a post.
 */

/** The last look is so long after the write that nothing of it is under way any more. */
const LAST_LOOK = Math.max(...WRITE_LOOKS);

function nextLookAt({ sent_at: sentAt }: PostWriteRow, now: number): number {
  const next = WRITE_LOOKS.find((after) => sentAt + after > now);
  return next === undefined ? now + LAST_LOOK : sentAt + next;
}

/** What a look saw. */
export type Sight =
  /** The post as the write would leave it; none where the write was to remove it. */
  | { kind: 'found'; post: WrittenPost | undefined }
  /** Nothing of the write is there by now. */
  | { kind: 'nothing' }
  /** There is what may be the write's or another's. */
  | { kind: 'unclear' }
  /** Another process looks, or the outcome is known. */
  | { kind: 'not_looked' };

interface Looking {
  grant: GrantClient;
  row: PostWriteRow;
}

function ask<Answer>(
  context: Context,
  { grant }: Looking,
  read: (looking: Parameters<typeof findPost>[0]) => Promise<Answer>,
): Promise<Answer> {
  const mainApi = context.sides.mainApiFor(grant.modernClientId);
  return withAccessToken(context, grant.id, (accessToken) =>
    read({ mainApi, accessToken, now: context.clock.now() }),
  );
}

/** Whether a digest of the row is one of this content, under whichever key. */
function isOf({ vault }: Context, { content_digest: digest }: PostWriteRow, content: string): boolean {
  return digest !== null && vault.digests(content).includes(digest);
}

/**
 * Takes a post for the write's own. Where as many equal writes are open as there are posts for them, each may have one;
 * where there are fewer posts, nobody knows whose they are. The rows are read after the posts were: whoever made one of
 * these had a row before.
 */
async function takeFound(context: Context, row: PostWriteRow, equal: readonly WrittenPost[]): Promise<Sight> {
  const [first] = equal;
  if (!first) return { kind: 'nothing' };
  const digests = context.vault.digests(contentOfPost(first));
  return context.store.transaction(async (tx): Promise<Sight> => {
    const [free, ...others] = await withoutWriter(
      tx,
      equal.map(({ id }) => id),
    );
    if (free === undefined) return { kind: 'nothing' };
    if (others.length + 1 < (await countEqualWrites(tx, digests))) return { kind: 'unclear' };
    const isSettled = await settleWrite(tx, row.id, {
      state: 'found',
      postId: free,
      now: context.clock.now(),
    });
    return isSettled ? { kind: 'found', post: equal.find(({ id }) => id === free) } : { kind: 'not_looked' };
  });
}

async function lookForNew(context: Context, looking: Looking): Promise<Sight> {
  const { row } = looking;
  const { organization_id: organizationId, channel_id: channelId } = row;
  if (organizationId === null || channelId === null) return { kind: 'unclear' };
  const since = row.sent_at - WRITE_CLOCKS_DIFFER;
  const posts = await ask(context, looking, (reading) =>
    listPostsSince(reading, { organizationId, channelId, since }),
  );
  return takeFound(
    context,
    row,
    posts.filter((one) => isOf(context, row, contentOfPost(one))),
  );
}

/** Whether a post that was there before stands as the write would leave it. */
function isAsWritten(context: Context, row: PostWriteRow, post: WrittenPost | undefined): boolean {
  switch (row.call) {
    case 'destroy':
      return post === undefined;
    case 'share':
      return post !== undefined && (post.status === 'sent' || post.status === 'sending');
    case 'update':
      return post !== undefined && contentsOfEdit(post).some((content) => isOf(context, row, content));
    case 'create':
    case 'move_to_top':
      return false;
  }
}

async function lookForChange(context: Context, looking: Looking): Promise<Sight> {
  const { row } = looking;
  const { post_id: postId } = row;
  // Whether a post was moved to the top, or was there before, nothing tells.
  if (postId === null || row.call === 'move_to_top') return { kind: 'unclear' };
  const post = await ask(context, looking, (reading) => findPost(reading, postId));
  if (!isAsWritten(context, row, post)) return { kind: 'nothing' };
  const now = context.clock.now();
  const isSettled = await settleWrite(context.store.durable, row.id, { state: 'found', now });
  return isSettled ? { kind: 'found', post } : { kind: 'not_looked' };
}

/**
 * One look at a write in doubt.
 * @throws {GrantDead | Forbidden | OrganizationGone | Unavailable}
 */
export async function lookForWrite(context: Context, grant: GrantClient, row: PostWriteRow): Promise<Sight> {
  const now = context.clock.now();
  if (!(await claimLook(context.store.durable, row, nextLookAt(row, now)))) return { kind: 'not_looked' };
  const sight = await (row.call === 'create' ? lookForNew : lookForChange)(context, { grant, row });
  if (sight.kind === 'found') await notePostsChanged(context, grant.id);
  else if (now - row.sent_at >= LAST_LOOK)
    await settleWrite(context.store.durable, row.id, { state: 'not_found', now });
  return sight;
}
