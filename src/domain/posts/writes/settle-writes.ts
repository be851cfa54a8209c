import pLimit from 'p-limit';
import { WRITE_ABANDONED } from '../../../shared/lifetimes.ts';
import { findMappingById } from '../../../store/mappings.ts';
import type { PostWriteRow } from '../../../store/posts/tables.ts';
import { listOpenWrites, stopLooking } from '../../../store/posts/write-journal.ts';
import { Unavailable } from '../../../upstream/outcomes.ts';
import type { Context } from '../../context.ts';
import { lookForWrite } from './look-for-write.ts';

/** Writes in doubt whose caller has gone: the bridge looks a few times, each time later, and keeps what it saw. */

const IN_ONE_RUN = 100;
const AT_ONCE = 4;

/** Through the grant that the token stands on now: a newer consent of the account sees the same posts. */
async function look(context: Context, row: PostWriteRow): Promise<void> {
  const mapping = await findMappingById(context.store, row.mapping_id);
  if (!mapping || mapping.grant_id === null || mapping.modern_client_id === null)
    return stopLooking(context.store.durable, row.id);
  await lookForWrite(context, { id: mapping.grant_id, modernClientId: mapping.modern_client_id }, row);
}

/** A new API that is out of reach is asked at the next look; a grant that has ended cannot look any more. */
async function settle(context: Context, row: PostWriteRow): Promise<void> {
  if (context.shutdown.signal.aborted) return;
  try {
    await look(context, row);
  } catch (error) {
    context.logger.warn('a write in doubt could not be looked for', { writeId: row.id, error });
    if (!(error instanceof Unavailable)) await stopLooking(context.store.durable, row.id);
  }
}

/** Looks for the writes whose time has come, those of processes that died included. */
export async function settleWrites(context: Context): Promise<void> {
  if (context.instance.isCopy()) return;
  const now = context.clock.now();
  const due = { now, abandonedBefore: now - WRITE_ABANDONED, limit: IN_ONE_RUN };
  const rows = await listOpenWrites(context.store.durable, due);
  await pLimit(AT_ONCE).map(rows, (row) => settle(context, row));
}
