import type { Request, RequestHandler } from 'express';
import { isLoopbackHost } from '../../shared/net/loopback.ts';

/** Whether a request came over HTTPS, and the header that makes browsers use HTTPS for the next request. */

/** A year, for this host alone: the bridge does not decide about other hosts below this name. */
const STRICT_TRANSPORT = 'max-age=31536000';

/**
 * Whether a request may be read: it came over HTTPS, or over plain HTTP to a loopback address without a proxy in
 * between. `req.secure` trusts `X-Forwarded-Proto` from the named proxies alone (express `trust proxy`).
 */
export function isProtected(req: Request): boolean {
  if (req.secure) return true;
  const trusts = req.app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  const cameThroughProxy = trusts(req.socket.remoteAddress ?? '', 0);
  return !cameThroughProxy && isLoopbackHost(req.socket.localAddress);
}

/**
 * Tells browsers to use HTTPS alone from now on (RFC 6797), where the public address is https. The header counts only
 * on an answer over HTTPS (section 7.2). The header holds for every port of a host (section 8.3). So a loopback name
 * never gets the header: the header would shut the embedded new API, and every other server on this machine that speaks
 * plain HTTP.
 */
export function strictTransport(publicUrl: string): RequestHandler {
  const { protocol, hostname } = new URL(publicUrl);
  const isOverHttps = protocol === 'https:' && !isLoopbackHost(hostname);
  return (req, res, next) => {
    if (isOverHttps && req.secure) res.setHeader('Strict-Transport-Security', STRICT_TRANSPORT);
    next();
  };
}
