import type { IncomingMessage } from 'node:http';
import { WithoutStack } from '../../shared/refusals/without-stack.ts';

/** A body that cannot be read. The fault is always the sender's, because no other step fails while a body is read. */
export class UnreadableBody extends WithoutStack {
  override readonly name = 'UnreadableBody';
  readonly status: 400 | 413 | 415;
  constructor(cause: unknown) {
    super('the body cannot be read', { cause });
    const { status } = Object(cause) as { status?: unknown };
    this.status = status === 413 || status === 415 ? status : 400;
  }
}

/** Whether the connection ended before the whole request had arrived. */
export const isCut = (req: IncomingMessage): boolean => req.destroyed && !req.complete;

/**
 * Calls `whenCut` once if the connection ends before the whole request has arrived. Call the result to stop watching.
 */
export function onCut(req: IncomingMessage, whenCut: (error: Error) => void): () => void {
  const closed = () => isCut(req) && whenCut(new Error('the connection was cut'));
  if (req.destroyed) closed();
  else req.once('close', closed);
  return () => void req.off('close', closed);
}

/** This process discards a piece so often, in milliseconds. A piece has 64 kB at most, which makes 16 MB a second. */
const PIECE_EVERY = 4;

let nextPieceAt = 0;

/** Milliseconds until the turn of one more piece. */
function waitForTurn(): number {
  const now = performance.now();
  const turn = Math.max(now, nextPieceAt);
  nextPieceAt = turn + PIECE_EVERY;
  return turn - now;
}

/**
 * Reads the rest of a request, and forgets it. A caller that is still sending reads its answer only after the whole
 * request is sent. All such requests have one pace together: bodies that are far too large must not keep the event loop
 * from other calls.
 */
export function discardSlowly(req: IncomingMessage): void {
  req.on('data', () => {
    req.pause();
    setTimeout(() => req.resume(), waitForTurn()).unref();
  });
  req.resume();
}

/**
 * Lets a parser that has begun to read have the first bytes of a body as fast as they come. What follows the parser throws
 * away: it comes slowly.
 */
export function slowBeyond(req: IncomingMessage, most: number): void {
  const { 'transfer-encoding': transfer, 'content-length': length = 0 } = req.headers;
  if (transfer === undefined && Number(length) <= most) return;
  let size = 0;
  const count = (piece: Buffer) => {
    size += piece.length;
    if (size <= most) return;
    req.off('data', count);
    discardSlowly(req);
  };
  req.on('data', count);
}
