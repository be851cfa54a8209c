import { setTimeout as delay } from 'node:timers/promises';
import { SECOND, WRITE_ANSWERED_WITHIN } from '../../../shared/lifetimes.ts';
import type { PostWriteRow } from '../../../store/tables/posts.ts';
import { findWrite } from '../../../store/posts/write-journal.ts';
import type { Context } from '../../context.ts';
import { withTimeout } from '../../work/with-timeout.ts';
import { servedBy } from '../../tokens/resolve-token.ts';
import type { PostsReader } from '../ask-for-posts.ts';
import { type LookReads, readsInCall } from './look-reads.ts';
import { lookForWrite } from './look-for-write.ts';
import type { Observation } from './sight.ts';
import type { Write, WriteEnd, Writer } from './writes.ts';

/** A write in doubt while its caller still waits: the bridge looks at once, and once more where that showed nothing. */

const PAUSES = [0, 1 * SECOND];

/** What a look needs at least to end before the caller is answered. */
const LOOK_TIME = 3 * SECOND;

function timeLeft({ clock }: Context, { came }: Writer): number {
  return WRITE_ANSWERED_WITHIN - (clock.elapsed() - came);
}

type Doubt = Extract<WriteEnd, { kind: 'in_doubt' }>;

/** A write in doubt and what was to be written. */
interface Doubted {
  end: Doubt;
  write: Write;
}

/** The answer that came after all, or what the job saw, while the caller waited. */
async function sightOfEnded(
  { state, call, post_id: postId }: PostWriteRow,
  reads: LookReads,
): Promise<Observation> {
  if (state !== 'found' && state !== 'done') return { kind: 'not_looked' };
  if (call === 'destroy' || call === 'reorder' || call === 'shuffle')
    return { kind: 'found', post: undefined };
  const post = postId === null ? undefined : await reads.post(postId);
  return post ? { kind: 'found', post } : { kind: 'unclear' };
}

async function look(context: Context, reader: PostsReader, { end, write }: Doubted): Promise<Observation> {
  const row = await findWrite(context.store.durable, end.rowId);
  if (!row) return { kind: 'not_looked' };
  const reads = readsInCall(context, reader);
  if (row.state !== 'in_doubt') return sightOfEnded(row, reads);
  return lookForWrite(context, { row, reads, sources: write.sources });
}

async function lookWhileWaiting(context: Context, writer: Writer, doubted: Doubted): Promise<Observation> {
  let sight: Observation = { kind: 'not_looked' };
  for (const pause of PAUSES) {
    if (timeLeft(context, writer) < LOOK_TIME + pause) return sight;
    await delay(pause);
    const { client_id: clientId } = writer.mapping;
    const looking = servedBy(context, writer.mapping, (grant) => look(context, { grant, clientId }, doubted));
    sight = await withTimeout(looking, timeLeft(context, writer));
    if (sight.kind === 'found' || sight.kind === 'gone') return sight;
  }
  return sight;
}

/** Whether the post was deleted now or was never there, nobody knows; that it is not there is sure. */
const GONE = {
  kind: 'NotFoundError',
  message: 'There is no such update any more.',
  code: undefined,
  link: undefined,
} as const;

async function settle(context: Context, writer: Writer, doubted: Doubted): Promise<WriteEnd> {
  const sight = await lookWhileWaiting(context, writer, doubted);
  if (sight.kind === 'found') return { kind: 'done', post: sight.post };
  return sight.kind === 'gone' ? { kind: 'refused', refusal: GONE } : doubted.end;
}

/**
 * Looks for a write in doubt. A look that fails or shows nothing proves nothing, whatever the new API said: a service
 * may have changed the text of a post that is there.
 */
export async function settleInCall(context: Context, writer: Writer, doubted: Doubted): Promise<WriteEnd> {
  try {
    return await settle(context, writer, doubted);
  } catch (error) {
    context.logger.warn('a write in doubt could not be looked for', { writeId: doubted.end.rowId, error });
    return doubted.end;
  }
}
