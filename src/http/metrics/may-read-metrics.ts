import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request } from 'express';
import { isLoopbackHost } from '../../shared/net/loopback.ts';

/** Every header by which a proxy tells of itself or of its caller. */
const TOLD_BY_PROXIES =
  /^(x-forwarded-.*|forwarded|via|x-real-ip|x-client-ip|true-client-ip|.*connecting-ip)$/;

/** Node parses a `Host` with or without a port, and with brackets around an IPv6 address. */
function hostOf({ headers }: Request): string | undefined {
  return URL.canParse(`http://${headers.host}`) ? new URL(`http://${headers.host}`).hostname : undefined;
}

/**
 * Whether a person or a program on this machine asks, with no proxy in between. Behind a proxy on the same machine every
 * stranger comes from loopback, so a header of a proxy, a trusted proxy, or the name of another host means a stranger.
 */
function isLocal(req: Request): boolean {
  const { remoteAddress, localAddress } = req.socket;
  if (!isLoopbackHost(remoteAddress) || !isLoopbackHost(localAddress)) return false;
  const trusts = req.app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  if (trusts(remoteAddress ?? '', 0)) return false;
  return isLoopbackHost(hostOf(req)) && !Object.keys(req.headers).some((name) => TOLD_BY_PROXIES.test(name));
}

const digestOf = (text: string) => createHash('sha256').update(text).digest();

const BEARER = /^Bearer +(\S+)$/i;

/** Compares digests of equal length in constant time, so that an answer tells neither a prefix nor a length. */
function bearsToken({ headers }: Request, token: string): boolean {
  const given = BEARER.exec(headers.authorization ?? '')?.[1];
  return given !== undefined && timingSafeEqual(digestOf(given), digestOf(token));
}

/** Who may read the metrics: whoever has METRICS_TOKEN, and everybody on this machine. */
export function mayReadMetrics(req: Request, token: string | undefined): boolean {
  return (token !== undefined && bearsToken(req, token)) || isLocal(req);
}
