import type { IncomingMessage } from 'node:http';

/** A body that cannot be read. The fault is always the sender's, because no other step fails while a body is read. */
export class UnreadableBody extends Error {
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
