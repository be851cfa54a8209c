import type { Request, RequestHandler } from 'express';
import { isLoopbackHost } from '../../shared/loopback.ts';
import { LegacyError, REFUSALS, sendLegacyError } from './legacy-error.ts';

/** `req.secure` trusts `X-Forwarded-Proto` from the named proxies alone (express `trust proxy`). */
function isAllowed(req: Request): boolean {
  if (req.secure) return true;
  const trusts = req.app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  const cameThroughProxy = trusts(req.socket.remoteAddress ?? '', 0);
  return !cameThroughProxy && isLoopbackHost(req.socket.localAddress);
}

/** All old calls must use HTTPS (specification 5.10.2); plain HTTP on loopback alone, else nothing is read. */
export const httpsOnly: RequestHandler = (req, res, next) => {
  if (isAllowed(req)) return next();
  res.setHeader('Connection', 'close');
  sendLegacyError(res, new LegacyError(REFUSALS.insecure));
};
