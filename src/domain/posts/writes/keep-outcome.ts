import { WRITE_LOOKS } from '../../../shared/lifetimes.ts';
import type { WriteCall } from '../../../store/tables/posts.ts';
import { doubtWrite, endWrite } from '../../../store/posts/write-journal.ts';
import type { PostsDeps } from '../deps.ts';
import { retryUntilStored } from '../../work/retry-until-stored.ts';
import { BudgetSpent } from '../../limits/budget-spent.ts';
import type { WriteClaim, SentOutcome } from './claim-write.ts';
import type { WriteEnd } from './writes.ts';

/** Records in the journal what an answer proves about a write. */

/** The waiting call makes the first look at once. The job makes the next look. */
async function keepDoubt(context: PostsDeps, rowId: string): Promise<void> {
  const nextLookAt = context.clock.now() + WRITE_LOOKS[1];
  await retryUntilStored(context, 'a write in doubt', () =>
    doubtWrite(context.store.durable, rowId, nextLookAt),
  );
}

/** Stores the end of a write. Retries until the end is stored, because no other place has the outcome. */
export async function endRow(
  context: PostsDeps,
  rowId: string,
  end: { state: 'done' | 'refused'; madePostId?: string | undefined; refusal?: string },
): Promise<void> {
  const now = context.clock.now();
  await retryUntilStored(context, 'the outcome of a write', () =>
    context.store.transaction((tx) => endWrite(tx, rowId, { ...end, now })),
  );
}

/** Logs that the new API has an error that the bridge does not know. Its message may quote the post, and stays out of the log. */
function tellUnknown(
  { logger }: PostsDeps,
  rowId: string,
  { unknownType }: Extract<SentOutcome, { kind: 'failed' }>,
): void {
  if (unknownType === undefined) return;
  logger.warn('the new API answered a write with an unknown error', { writeId: rowId, type: unknownType });
}

/** Stores what an outcome proves, before the caller is answered. @throws {BudgetSpent} */
async function keepOutcome(
  context: PostsDeps,
  { claimed: { rowId }, call }: { claimed: WriteClaim; call: WriteCall },
  outcome: SentOutcome,
): Promise<WriteEnd> {
  switch (outcome.kind) {
    case 'done':
      await endRow(context, rowId, {
        state: 'done',
        madePostId: call === 'create' ? outcome.post?.id : undefined,
      });
      return outcome;
    case 'refused':
      await endRow(context, rowId, { state: 'refused', refusal: outcome.refusal.kind });
      return outcome;
    case 'limited':
      await endRow(context, rowId, { state: 'refused', refusal: 'limited' });
      throw new BudgetSpent('the main API asked to wait', outcome.retryAfter);
    case 'failed':
      tellUnknown(context, rowId, outcome);
      await keepDoubt(context, rowId);
      return { kind: 'in_doubt', rowId, message: outcome.message };
    case 'in_doubt':
      context.logger.warn('the answer to a write was lost', { writeId: rowId, error: outcome.cause });
      await keepDoubt(context, rowId);
      return { kind: 'in_doubt', rowId, message: undefined };
  }
}

/** An outcome that could not be stored puts the write in doubt: the row lacks the outcome, so the bridge will look. */
export async function settle(
  context: PostsDeps,
  settling: { claimed: WriteClaim; call: WriteCall },
  outcome: SentOutcome,
): Promise<WriteEnd> {
  const { rowId } = settling.claimed;
  try {
    return await keepOutcome(context, settling, outcome);
  } catch (error) {
    if (error instanceof BudgetSpent) throw error;
    context.logger.error('ALARM: the outcome of a write could not be stored', { writeId: rowId, error });
    return { kind: 'in_doubt', rowId, message: undefined };
  }
}
