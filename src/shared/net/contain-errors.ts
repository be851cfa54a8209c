import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * The connection of a request that asks for another protocol ends with the answer. Node's parser stops reading at the
 * end of such a request, so the next request on the connection would be lost, or be read from the middle on.
 */
function endAfterUpgrade(req: IncomingMessage, res: ServerResponse): void {
  if (req.headers.upgrade !== undefined) res.setHeader('Connection', 'close');
}

/** Readers and writers learn of the error by other means. */
const ignore = () => undefined;

/**
 * Keeps the errors of one request and its answer inside them. An `error` event without a listener ends the process: a
 * late write to an ended answer is enough.
 */
export function containErrors(req: IncomingMessage, res: ServerResponse, next: () => void): void {
  req.on('error', ignore);
  res.on('error', ignore);
  endAfterUpgrade(req, res);
  next();
}
