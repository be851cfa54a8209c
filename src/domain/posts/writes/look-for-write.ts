import { WRITE_LOOKS } from '../../../shared/lifetimes.ts';
import type { PostWriteRow } from '../../../store/tables/posts.ts';
import { claimLook, settleWrite, stopLooking } from '../../../store/posts/write-journal.ts';
import type { PostsDeps } from '../deps.ts';
import { notePostsChanged } from '../lists/post-cache.ts';
import { lookForChange } from './look-for-change.ts';
import { lookForMove } from './look-for-move.ts';
import { lookForNew } from './look-for-new.ts';
import type { WriteSearch, WriteObservation } from './sight.ts';

/**
 * Looks whether a write in doubt was carried out, with one request for each look. A missing post proves nothing while
 * the new API may still be working, therefore only time ends a doubt without a post.
 */

/** The last look comes so long after the write that no part of the write is still under way. */
const LAST_LOOK = Math.max(...WRITE_LOOKS);

function nextLookAt({ sent_at: sentAt }: PostWriteRow, now: number): number {
  const next = WRITE_LOOKS.find((after) => sentAt + after > now);
  return next === undefined ? now + LAST_LOOK : sentAt + next;
}

/** Only the observation decides the state of the row. If the last look is unclear, the write stays in doubt. */
async function keepSight(
  context: PostsDeps,
  { row, reads }: WriteSearch,
  sight: WriteObservation,
): Promise<void> {
  const now = context.clock.now();
  const isLast = now - row.sent_at >= LAST_LOOK;
  const { durable } = context.store;
  if (sight.kind === 'found' || sight.kind === 'gone') await notePostsChanged(context, reads.grantId);
  if (sight.kind === 'nothing' && isLast) await settleWrite(durable, row.id, { state: 'not_found', now });
  if (sight.kind === 'gone' || (sight.kind === 'unclear' && isLast)) await stopLooking(durable, row.id);
}

function lookFor({ call }: PostWriteRow) {
  if (call === 'create') return lookForNew;
  return call === 'reorder' || call === 'shuffle' ? lookForMove : lookForChange;
}

/**
 * Makes one look at a write in doubt.
 * @throws {GrantDead | Forbidden | OrganizationGone | LimitReached | Unavailable}
 */
export async function lookForWrite(context: PostsDeps, looking: WriteSearch): Promise<WriteObservation> {
  const { row } = looking;
  const next = nextLookAt(row, context.clock.now());
  if (!(await claimLook(context.store.durable, row, next))) return { kind: 'not_looked' };
  const sight = await lookFor(row)(context, looking);
  await keepSight(context, looking, sight);
  return sight;
}
