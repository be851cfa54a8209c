import { MOVE_BEGUN_WITHIN } from '../../../shared/lifetimes.ts';
import type { PostsDeps } from '../deps.ts';
import { type OldRefusal, refusalOfWrite } from '../../translation/old-refusal.ts';
import { contentOfMove } from '../../ids/updates/content-digest.ts';
import { requireRight } from '../writes/require-right.ts';
import { sendWrite } from '../writes/send-write.ts';
import { settleInCall } from '../writes/settle-in-call.ts';
import type { Write, WriteEnd, Writer } from '../writes/writes.ts';
import type { Move } from './plan-moves.ts';
import type { QueueChannel } from './read-queue.ts';

/** Moves posts one after the other, each with its own write. Stops after the first move that is not surely done. */

/** Why a move was not made, or is in doubt. */
export type MoveFailure =
  | { kind: 'refused'; refusal: OldRefusal }
  /** `message` is the text of the new API about the fault. */
  | { kind: 'in_doubt'; message: string | undefined }
  /** Nothing was sent for this move. */
  | { kind: 'not_sent'; error: unknown };

export interface MovesResult {
  made: number;
  /** Undefined once every move was made. */
  stop: MoveFailure | undefined;
}

/** The queue to move, and the call that moves the queue. */
export interface OrderRequest {
  call: 'reorder' | 'shuffle';
  writer: Writer;
  channel: QueueChannel;
}

function writeOf({ call, channel }: OrderRequest, { id, position }: Move): Write {
  return {
    call,
    write: { mutation: 'movePostInQueue', input: { id, position } },
    organizationId: channel.organizationId,
    channelId: channel.id,
    postId: id,
    content: contentOfMove({ channelId: channel.id, postId: id, position }),
    begunWithin: MOVE_BEGUN_WITHIN,
  };
}

function stopOf(end: WriteEnd): MoveFailure | undefined {
  if (end.kind === 'done') return undefined;
  if (end.kind === 'in_doubt') return { kind: 'in_doubt', message: end.message };
  return { kind: 'refused', refusal: refusalOfWrite(end.refusal, 'update') };
}

async function makeMove(
  context: PostsDeps,
  ordering: OrderRequest,
  move: Move,
): Promise<MoveFailure | undefined> {
  const { writer } = ordering;
  const write = writeOf(ordering, move);
  try {
    const end = await sendWrite(context, writer, write);
    const settled = end.kind === 'in_doubt' ? await settleInCall(context, writer, { end, write }) : end;
    await requireRight(context, writer, settled);
    return stopOf(settled);
  } catch (error) {
    return { kind: 'not_sent', error };
  }
}

/** Makes the moves in their order until one fails. Never throws, because earlier moves may be done already. */
export async function makeMoves(
  context: PostsDeps,
  ordering: OrderRequest,
  moves: readonly Move[],
): Promise<MovesResult> {
  for (const [made, move] of moves.entries()) {
    const stop = await makeMove(context, ordering, move);
    if (stop) return { made, stop };
  }
  return { made: moves.length, stop: undefined };
}
