import { WRITE_CLOCKS_DIFFER } from '../../../shared/lifetimes.ts';
import type { PostWriteRow } from '../../../store/tables/posts.ts';
import { settleWrite } from '../../../store/posts/write-journal.ts';
import type { WrittenPost } from '../../../upstream/posts/written-post.ts';
import type { PostsDeps } from '../deps.ts';
import { contentsOfEdit } from '../../ids/updates/content-digest.ts';
import { isOf } from './is-of-row.ts';
import type { WriteSearch, WriteObservation } from './sight.ts';

/** Looks whether an existing post has the state that a change in doubt would produce. */

/** Whether the post shows the change of a row. A place in the queue does not show, nor an edit without a digest. */
function showsItsChange({ call, content_digest: digest }: PostWriteRow): boolean {
  return call === 'share' || call === 'destroy' || (call === 'update' && digest !== null);
}

function isAsWritten(context: PostsDeps, row: PostWriteRow, post: WrittenPost): boolean {
  if (row.call === 'share') return post.status === 'sent' || post.status === 'sending';
  return contentsOfEdit(post).some((content) => isOf(context, row, content));
}

/** A post without a later update shows no change. A later update to other content may be another change: unclear. */
function sightOf(context: PostsDeps, row: PostWriteRow, post: WrittenPost | undefined): WriteObservation {
  if (row.call === 'destroy') return { kind: post ? 'nothing' : 'gone' };
  if (!post || Date.parse(post.updatedAt) < row.sent_at - WRITE_CLOCKS_DIFFER) return { kind: 'nothing' };
  return isAsWritten(context, row, post) ? { kind: 'found', post } : { kind: 'unclear' };
}

/** @throws {GrantDead | Forbidden | OrganizationGone | LimitReached | Unavailable} */
export async function lookForChange(
  context: PostsDeps,
  { row, reads }: WriteSearch,
): Promise<WriteObservation> {
  if (row.post_id === null || !showsItsChange(row)) return { kind: 'unclear' };
  const sight = sightOf(context, row, await reads.post(row.post_id));
  if (sight.kind !== 'found') return sight;
  const now = context.clock.now();
  const isSettled = await settleWrite(context.store.durable, row.id, { state: 'found', now });
  return isSettled ? sight : { kind: 'not_looked' };
}
