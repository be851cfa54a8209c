import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
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
  const trusts = req.app.get('trust proxy fn') as TrustProxy;
  return isOnLoopback(req.socket, trusts(req.socket.remoteAddress ?? '', 0));
}

/** Whether the other end of a connection is a named proxy (express `trust proxy`). */
export type TrustProxy = (address: string, hop: number) => boolean;

const isOnLoopback = ({ localAddress }: Socket, cameThroughProxy: boolean) =>
  !cameThroughProxy && isLoopbackHost(localAddress);

/** What a connection tells of all its requests. */
interface Connection {
  isEncrypted: boolean;
  cameThroughProxy: boolean;
  isOnLoopback: boolean;
}

const connections = new WeakMap<Socket, Connection>();

function connectionOf(socket: Socket, trusts: TrustProxy): Connection {
  const known = connections.get(socket);
  if (known) return known;
  const cameThroughProxy = trusts(socket.remoteAddress ?? '', 0);
  const isEncrypted = 'encrypted' in socket && socket.encrypted === true;
  const connection = { isEncrypted, cameThroughProxy, isOnLoopback: isOnLoopback(socket, cameThroughProxy) };
  connections.set(socket, connection);
  return connection;
}

/**
 * How a request arrived, where that is plain: over HTTPS, or over plain HTTP to a loopback address. Undefined for every
 * other request, which `isProtected` and `req.secure` decide about.
 */
export function plainArrival(
  { socket, headers }: IncomingMessage,
  trusts: TrustProxy,
): { isSecure: boolean } | undefined {
  const { isEncrypted, cameThroughProxy, isOnLoopback: isLocal } = connectionOf(socket, trusts);
  if (cameThroughProxy) return headers['x-forwarded-proto'] === 'https' ? { isSecure: true } : undefined;
  return isEncrypted || isLocal ? { isSecure: isEncrypted } : undefined;
}

/**
 * Tells browsers to use HTTPS alone from now on (RFC 6797), where the public address is https. The header counts only
 * on an answer over HTTPS (section 7.2). The header holds for every port of a host (section 8.3). So a loopback name
 * never gets the header: the header would shut the embedded new API, and every other server on this machine that speaks
 * plain HTTP.
 */
export function strictTransport(publicUrl: string): RequestHandler {
  const headers = strictTransportOf(publicUrl);
  return (req, res, next) => {
    if (req.secure) res.setHeaders(headers);
    next();
  };
}

/** The headers of `strictTransport`, by name, for an answer over HTTPS. */
export function strictTransportOf(publicUrl: string): Map<string, string> {
  const { protocol, hostname } = new URL(publicUrl);
  const isOverHttps = protocol === 'https:' && !isLoopbackHost(hostname);
  return new Map(isOverHttps ? [['Strict-Transport-Security', STRICT_TRANSPORT]] : []);
}
