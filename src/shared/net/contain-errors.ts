import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * The connection of a request that asks for another protocol ends with its answer: Node's parser stops reading at the end
 * of such a request, so that the next one on the connection would be lost, or be read from its middle on.
 */
function endAfterUpgrade(req: IncomingMessage, res: ServerResponse): void {
  if (req.headers.upgrade !== undefined) res.setHeader('Connection', 'close');
}

/**
 * Keeps the errors of one request and its answer with them. An `error` event that nobody hears ends the process: a late
 * write to an answer that has ended is enough for one. Who reads or writes at that moment is told by other means.
 */
export function containErrors(req: IncomingMessage, res: ServerResponse, next: () => void): void {
  req.on('error', () => undefined);
  res.on('error', () => undefined);
  endAfterUpgrade(req, res);
  next();
}
