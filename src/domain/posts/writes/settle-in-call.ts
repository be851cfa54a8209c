import { setTimeout as delay } from 'node:timers/promises';
import { SECOND, WRITE_ANSWERED_WITHIN } from '../../../shared/lifetimes.ts';
import { findWrite } from '../../../store/posts/write-journal.ts';
import type { Context } from '../../context.ts';
import { withPatience } from '../../patience.ts';
import { servedBy } from '../../resolve-token.ts';
import { lookForWrite, type Sight } from './look-for-write.ts';
import { endRow } from './keep-outcome.ts';
import type { WriteEnd, Writer } from './writes.ts';

/** A write in doubt while its caller still waits: the bridge looks at once, and once more where that showed nothing. */

const PAUSES = [0, 1 * SECOND];

/** What a look needs at least to end before the caller is answered. */
const LOOK_TIME = 3 * SECOND;

function timeLeft({ clock }: Context, { came }: Writer): number {
  return WRITE_ANSWERED_WITHIN - (clock.elapsed() - came);
}

async function lookOnce(context: Context, { mapping }: Writer, rowId: string): Promise<Sight> {
  const row = await findWrite(context.store.durable, rowId);
  if (!row || row.state !== 'in_doubt') return { kind: 'not_looked' };
  return servedBy(context, mapping, (grant) => lookForWrite(context, grant, row));
}

async function lookWhileWaiting(context: Context, writer: Writer, rowId: string): Promise<Sight> {
  let sight: Sight = { kind: 'not_looked' };
  for (const pause of PAUSES) {
    if (timeLeft(context, writer) < LOOK_TIME + pause) return sight;
    await delay(pause);
    sight = await withPatience(lookOnce(context, writer, rowId), timeLeft(context, writer));
    if (sight.kind === 'found') return sight;
  }
  return sight;
}

type Doubt = Extract<WriteEnd, { kind: 'in_doubt' }>;

/** The new API said that it failed, and nothing is there: both together say that nothing was done. */
async function refusedAfterAll(context: Context, { rowId }: Doubt, message: string): Promise<WriteEnd> {
  await endRow(context, rowId, { state: 'refused', refusal: 'UnexpectedError' });
  const refusal = { kind: 'UnexpectedError', message, code: undefined, link: undefined } as const;
  return { kind: 'refused', refusal };
}

async function settle(context: Context, writer: Writer, doubt: Doubt): Promise<WriteEnd> {
  const sight = await lookWhileWaiting(context, writer, doubt.rowId);
  if (sight.kind === 'found') return { kind: 'done', post: sight.post };
  const { message } = doubt;
  return sight.kind === 'nothing' && message !== undefined ? refusedAfterAll(context, doubt, message) : doubt;
}

/** Looks for a write in doubt. A look that fails shows nothing: the write stays in doubt. */
export async function settleInCall(context: Context, writer: Writer, doubt: Doubt): Promise<WriteEnd> {
  try {
    return await settle(context, writer, doubt);
  } catch (error) {
    context.logger.warn('a write in doubt could not be looked for', { writeId: doubt.rowId, error });
    return doubt;
  }
}
