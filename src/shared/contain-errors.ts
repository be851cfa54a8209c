import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Keeps the errors of one request and its answer with them. An `error` event that nobody hears ends the process: a late
 * write to an answer that has ended is enough for one. Who reads or writes at that moment is told by other means.
 */
export function containErrors(req: IncomingMessage, res: ServerResponse, next: () => void): void {
  req.on('error', () => undefined);
  res.on('error', () => undefined);
  next();
}
