import type { Request, RequestHandler } from 'express';
import { isLoopbackHost } from '../../shared/net/loopback.ts';

/** Whether a request came over HTTPS, and what browsers are told so that the next one does. */

/** A year, for this host alone: what else runs below its name is not the bridge's to decide. */
const STRICT_TRANSPORT = 'max-age=31536000';

/**
 * Whether a request may be read: it came over HTTPS, or over plain HTTP to a loopback address without a proxy between.
 * `req.secure` trusts `X-Forwarded-Proto` from the named proxies alone (express `trust proxy`).
 */
export function isProtected(req: Request): boolean {
  if (req.secure) return true;
  const trusts = req.app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  const cameThroughProxy = trusts(req.socket.remoteAddress ?? '', 0);
  return !cameThroughProxy && isLoopbackHost(req.socket.localAddress);
}

/**
 * Tells browsers to use HTTPS alone from now on (RFC 6797), where others see the bridge under https. The header counts only
 * on an answer over HTTPS (section 7.2). It holds for every port of a host (section 8.3): on this machine's own name it
 * would shut the embedded modern generation and everything else that speaks plain HTTP here.
 */
export function strictTransport(publicUrl: string): RequestHandler {
  const { protocol, hostname } = new URL(publicUrl);
  const isOverHttps = protocol === 'https:' && !isLoopbackHost(hostname);
  return (req, res, next) => {
    if (isOverHttps && req.secure) res.setHeader('Strict-Transport-Security', STRICT_TRANSPORT);
    next();
  };
}
