import type { RequestHandler, Response } from 'express';
import { newHexId } from '../shared/ids.ts';
import { arrivedAt } from './arrived-at.ts';

/** The header that tells a caller the id of the request. */
export const REQUEST_ID = 'X-Request-Id';

/** An id for an answer that is sent before any step of the others; no line of the log holds it. */
export const newRequestId = (): Record<string, string> => ({ [REQUEST_ID]: newHexId() });

/**
 * Gives each request an id of the bridge, which the answer names. The log lines `request` and of
 * failures hold it. An id sent by the caller is not used, because the id stands in the history. A trace is another thing:
 * it belongs to the caller, and goes on (`request-trace.ts`).
 */
export const giveRequestId: RequestHandler = (req, res, next) => {
  const id = newHexId();
  res.locals['requestId'] = id;
  res.setHeader(REQUEST_ID, id);
  res.locals['cameAt'] = arrivedAt(req);
  next();
};

/** How many milliseconds the caller has waited: for its body to arrive, and for any server that was asked first. */
export function waitedFor(res: Response): number {
  return performance.now() - Number(res.locals['cameAt']);
}

/** The id of the current request. */
export function requestIdOf(res: Response): string {
  return String(res.locals['requestId']);
}
