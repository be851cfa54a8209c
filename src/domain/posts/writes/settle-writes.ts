import pLimit from 'p-limit';
import { WRITE_ABANDONED, WRITE_LOOKED_FOR } from '../../../shared/lifetimes.ts';
import { findGrantOfMapping } from '../../../store/tokens/mappings.ts';
import type { PostWriteRow } from '../../../store/tables/posts.ts';
import { listOpenWrites, stopLooking } from '../../../store/posts/write-journal.ts';
import { isNotShown } from '../../../upstream/main-api.ts';
import { ScopeMissing } from '../scope-missing.ts';
import { GrantDead } from '../../grants/refresh/access-token.ts';
import type { PostsDeps } from '../deps.ts';
import { TokenRefused } from '../../tokens/resolve-token.ts';
import type { GrantClient } from '../../grants/grant-client.ts';
import { type LookReads, readsOfRun } from './look-reads.ts';
import { lookForWrite } from './look-for-write.ts';

/** Resolves writes in doubt whose caller is gone: the bridge looks a few times, at growing intervals. */

const IN_ONE_RUN = 100;
const AT_ONCE = 4;

/** The shared reads of one run, and one write to look for. */
interface DueWrite {
  readsFor: (grant: GrantClient) => LookReads;
  row: PostWriteRow;
}

/**
 * Looks with the present grant of the token: after a newer consent, the account sees the same posts. A retired app makes no
 * difference: a look only reads, the grant lives, and the retirement may be taken back.
 */
async function look(context: PostsDeps, { readsFor, row }: DueWrite): Promise<void> {
  const found = await findGrantOfMapping(context.store, row.mapping_id);
  if (!found) return stopLooking(context.store.durable, row.id);
  const { grant_id: id, client_id: clientId, modern_client_id: modernClientId } = found;
  await lookForWrite(context, { row, reads: readsFor({ id, clientId, modernClientId }) });
}

/** After these errors no look is possible. Other errors may pass: a service or database out of reach, a missing key. */
const isEnd = (error: unknown) =>
  isNotShown(error) || [GrantDead, ScopeMissing, TokenRefused].some((End) => error instanceof End);

function isOver(context: PostsDeps, { sent_at: sentAt }: PostWriteRow, error: unknown): boolean {
  const isTooOld = context.clock.now() - sentAt >= WRITE_LOOKED_FOR;
  return isTooOld || isEnd(error);
}

/** A write whose look fails is looked for later. */
async function settle(context: PostsDeps, due: DueWrite): Promise<void> {
  if (context.shutdown.signal.aborted) return;
  const { row } = due;
  try {
    await look(context, due);
  } catch (error) {
    context.logger.warn('the new API could not be asked about a write in doubt', { writeId: row.id, error });
    if (isOver(context, row, error)) await stopLooking(context.store.durable, row.id);
  }
}

/** Looks for the writes that are due, including writes of processes that died. */
export async function settleWrites(context: PostsDeps): Promise<void> {
  if (context.instance.isCopy()) return;
  const now = context.clock.now();
  const due = { now, abandonedBefore: now - WRITE_ABANDONED, limit: IN_ONE_RUN };
  const rows = await listOpenWrites(context.store.durable, due);
  const readsFor = readsOfRun(context, rows);
  await pLimit(AT_ONCE).map(rows, (row) => settle(context, { readsFor, row }));
}
