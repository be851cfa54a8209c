import type { RequestHandler } from 'express';
import { isProtected } from '../wire/https.ts';
import { LegacyError, REFUSALS, sendLegacyError } from '../wire/legacy-error.ts';

/** All old calls must use HTTPS, except plain HTTP on loopback. Nothing of another call is read. */
export const httpsOnly: RequestHandler = (req, res, next) => {
  if (isProtected(req)) return next();
  res.setHeader('Connection', 'close');
  sendLegacyError(res, new LegacyError(REFUSALS.insecure));
};
