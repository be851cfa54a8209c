import type { RequestHandler, Response } from 'express';
import { newHexId } from '../shared/ids.ts';

/** Gives each request an id of our own; one from outside is not taken over, for it stands in the history. */
export const giveRequestId: RequestHandler = (_req, res, next) => {
  res.locals['requestId'] = newHexId();
  res.locals['cameAt'] = performance.now();
  next();
};

/** For how many milliseconds the caller of a request has waited: for its body, and for whoever was asked first. */
export function waitedFor(res: Response): number {
  return performance.now() - Number(res.locals['cameAt']);
}

/** The id of the request that is being answered. */
export function requestIdOf(res: Response): string {
  return String(res.locals['requestId']);
}
