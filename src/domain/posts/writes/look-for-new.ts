import { WRITE_CLOCKS_DIFFER, WRITE_MADE_WITHIN } from '../../../shared/lifetimes.ts';
import type { PostWriteRow } from '../../../store/tables/posts.ts';
import { countEqualWrites, settleWrite, withoutWriter } from '../../../store/posts/write-journal.ts';
import type { PostsResult } from '../../../upstream/posts/find-posts.ts';
import type { WrittenPost } from '../../../upstream/posts/written-post.ts';
import type { PostsDeps } from '../deps.ts';
import { contentOfPost, isWordless } from '../../ids/updates/content-digest.ts';
import { isOf } from './is-of-row.ts';
import { isInChannel } from './look-reads.ts';
import { madeBetween } from './made-between.ts';
import type { WriteSearch, WriteObservation } from './sight.ts';

/** Looks for the post that a create in doubt may have made. */

function isMadeInTime(row: PostWriteRow, { createdAt }: WrittenPost): boolean {
  const [{ from, to }, made] = [madeBetween(row), Date.parse(createdAt)];
  return from <= made && made <= to;
}

/** Whether the row's account made the post through the API. The new API gives its own pages as the origin of drafts. */
function isOfAccount({ account_id: accountId }: PostWriteRow, { author, via, status }: WrittenPost): boolean {
  const isByApi = via === 'api' || (status === 'draft' && via === 'buffer');
  return isByApi && (!author || author.id === accountId);
}

function hasSources({ sources }: WriteSearch, { assets }: WrittenPost): boolean {
  return sources === undefined || sources.join('\n') === assets.map(({ source }) => source).join('\n');
}

/** The post may be behind the end of a list that ends before the last possible moment of the row. */
function isCutShort(row: PostWriteRow, { posts, goesOn }: PostsResult): boolean {
  const last = posts.at(-1);
  return goesOn && last !== undefined && Date.parse(last.createdAt) < madeBetween(row).to;
}

/**
 * Assigns a post to the write. If there are at least as many free posts as open equal writes, each write may have one
 * post. With fewer posts, nobody can say which write made which post. The rows are read after the posts: a write that
 * made one of these posts had its row before.
 */
async function takeFound(
  context: PostsDeps,
  row: PostWriteRow,
  equal: readonly WrittenPost[],
): Promise<WriteObservation> {
  const [first] = equal;
  if (!first) return { kind: 'nothing' };
  const digests = context.vault.digests(contentOfPost(first));
  // An earlier write can have made one of these posts only if that write was still under way when this write was sent.
  const since = madeBetween(row).from - WRITE_MADE_WITHIN - WRITE_CLOCKS_DIFFER;
  return context.store.transaction(async (tx): Promise<WriteObservation> => {
    const [free, ...others] = await withoutWriter(
      tx,
      equal.map(({ id }) => id),
    );
    if (free === undefined) return { kind: 'nothing' };
    if (others.length + 1 < (await countEqualWrites(tx, digests, since))) return { kind: 'unclear' };
    const now = context.clock.now();
    const isSettled = await settleWrite(tx, row.id, { state: 'found', postId: free, now });
    return isSettled ? { kind: 'found', post: equal.find(({ id }) => id === free) } : { kind: 'not_looked' };
  });
}

/** @throws {GrantDead | Forbidden | OrganizationGone | LimitReached | Unavailable} */
export async function lookForNew(context: PostsDeps, looking: WriteSearch): Promise<WriteObservation> {
  const { row, reads } = looking;
  if (!isInChannel(row)) return { kind: 'unclear' };
  const found = await reads.postsOf(row);
  const equal = found.posts
    .filter((post) => isMadeInTime(row, post) && isOfAccount(row, post))
    .filter((post) => isOf(context, row, contentOfPost(post)) && hasSources(looking, post));
  if (looking.sources === undefined && equal.some(isWordless)) return { kind: 'unclear' };
  const sight = await takeFound(context, row, equal);
  return sight.kind === 'nothing' && isCutShort(row, found) ? { kind: 'unclear' } : sight;
}
