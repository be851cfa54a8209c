import { setTimeout as delay } from 'node:timers/promises';
import { SECOND, WRITE_ANSWERED_WITHIN } from '../../../shared/lifetimes.ts';
import type { PostWriteRow } from '../../../store/tables/posts.ts';
import { findWrite } from '../../../store/posts/write-journal.ts';
import type { PostsDeps } from '../deps.ts';
import { NO_SUCH_UPDATE } from '../../translation/old-refusal.ts';
import { withTimeout } from '../../work/with-timeout.ts';
import { servedBy } from '../../tokens/resolve-token.ts';
import type { GrantClient } from '../../grants/grant-client.ts';
import { type LookReads, readsInCall } from './look-reads.ts';
import { lookForWrite } from './look-for-write.ts';
import type { WriteObservation } from './sight.ts';
import type { Write, WriteEnd, Writer } from './writes.ts';

/** Resolves a write in doubt while its caller waits: looks at once, and again after a look without a result. */

const PAUSES = [0, 1 * SECOND];

/** The least time that a look needs before the caller is answered. */
const LOOK_TIME = 3 * SECOND;

function timeLeft({ clock }: PostsDeps, { came }: Writer): number {
  return WRITE_ANSWERED_WITHIN - (clock.elapsed() - came);
}

type Doubt = Extract<WriteEnd, { kind: 'in_doubt' }>;

/** A write in doubt, with its content. */
interface DoubtfulWrite {
  end: Doubt;
  write: Write;
}

/** While the caller waited, the answer arrived late, or the job found the post. */
async function sightOfEnded(
  { state, call, post_id: postId }: PostWriteRow,
  reads: LookReads,
): Promise<WriteObservation> {
  if (state !== 'found' && state !== 'done') return { kind: 'not_looked' };
  if (call === 'destroy' || call === 'reorder' || call === 'shuffle')
    return { kind: 'found', post: undefined };
  const post = postId === null ? undefined : await reads.post(postId);
  return post ? { kind: 'found', post } : { kind: 'unclear' };
}

async function look(
  context: PostsDeps,
  grant: GrantClient,
  { end, write }: DoubtfulWrite,
): Promise<WriteObservation> {
  const row = await findWrite(context.store.durable, end.rowId);
  if (!row) return { kind: 'not_looked' };
  const reads = readsInCall(context, grant);
  if (row.state !== 'in_doubt') return sightOfEnded(row, reads);
  return lookForWrite(context, { row, reads, sources: write.sources });
}

async function lookWhileWaiting(
  context: PostsDeps,
  writer: Writer,
  doubted: DoubtfulWrite,
): Promise<WriteObservation> {
  let sight: WriteObservation = { kind: 'not_looked' };
  for (const pause of PAUSES) {
    if (timeLeft(context, writer) < LOOK_TIME + pause) return sight;
    await delay(pause);
    const looking = servedBy(context, writer.mapping, (grant) => look(context, grant, doubted));
    sight = await withTimeout(looking, timeLeft(context, writer));
    if (sight.kind === 'found' || sight.kind === 'gone') return sight;
  }
  return sight;
}

/**
 * The post does not exist. Whether this call deleted the post, or the post never existed, is unknown. It is answered like
 * an update that does not exist.
 */
const GONE = {
  kind: 'NotFoundError',
  message: NO_SUCH_UPDATE.message,
  code: undefined,
  link: undefined,
} as const;

async function settle(context: PostsDeps, writer: Writer, doubted: DoubtfulWrite): Promise<WriteEnd> {
  const sight = await lookWhileWaiting(context, writer, doubted);
  if (sight.kind === 'found') return { kind: 'done', post: sight.post };
  return sight.kind === 'gone' ? { kind: 'refused', refusal: GONE } : doubted.end;
}

/**
 * Looks for a write in doubt. A look that fails or finds no post proves nothing, even after an error message of the new
 * API: a service may have changed the text of an existing post.
 */
export async function settleInCall(
  context: PostsDeps,
  writer: Writer,
  doubted: DoubtfulWrite,
): Promise<WriteEnd> {
  try {
    return await settle(context, writer, doubted);
  } catch (error) {
    context.logger.warn('the new API could not be asked about a write in doubt', {
      writeId: doubted.end.rowId,
      error,
    });
    return doubted.end;
  }
}
