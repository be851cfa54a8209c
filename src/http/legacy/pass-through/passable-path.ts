import type { Request, RequestHandler } from 'express';
import { isDeauthorize } from '../../../domain/old-api/pass-through.ts';
import { collapsedPath, plainSpelling } from '../../../domain/old-calls/old-calls.ts';

/**
 * Which paths of old calls are equal, and which paths may go to the old API. The rules here must read a path as the old
 * API does.
 */

/** A request may send a whole address (RFC 9112 §3.2.2). Only the settings name the host of the old API. */
function withoutOrigin(address: string): string {
  return address.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
}

function pathIn(target: string): string {
  return target.split('?')[0] ?? '';
}

/** The path as it came, without the query. */
function pathOf({ originalUrl }: Request): string {
  return pathIn(withoutOrigin(originalUrl));
}

/**
 * Path and query for the old API. A known call has its plain spelling (see `collapseKnownPaths`); every other path
 * stays as it came.
 */
export function targetOf({ url }: Request): string {
  return withoutOrigin(url);
}

/**
 * A doubled or trailing slash does not make another call. From here on a known call and the exchange have their plain
 * spelling, so that every rule about the call sees the same path.
 */
export const collapseKnownPaths: RequestHandler = (req, _res, next) => {
  const path = pathOf(req);
  const plain = plainSpelling(path);
  if (plain !== path) req.url = plain + withoutOrigin(req.url).slice(path.length);
  next();
};

/** Segments of plain characters. No segment begins with a dot. */
const PLAIN_PATH = /^\/(?:(?!\.)[\w.~!$&'()*+,=:@-]+(?:\/(?!\.)[\w.~!$&'()*+,=:@-]+)*)?$/;

const OAUTH = /^\/1\/oauth2(?![a-z0-9])/i;

/**
 * Whether a path may be passed. The path must be one that every server reads in the same way: a path that ends a token
 * or leads out of v1 has other spellings too. So the path has no encoded characters, no parameters and no dot segments.
 * Doubled and trailing slashes are removed before the check: no OAuth address is passed, and a path that ends a token
 * must have the spelling that the bridge knows. No path of v1 needs more.
 */
export function mayPass(req: Request): boolean {
  if (req.originalUrl.includes('#')) return false;
  const path = pathOf(req);
  const plain = collapsedPath(path);
  if (!PLAIN_PATH.test(plain) || OAUTH.test(plain)) return false;
  return isDeauthorize(path) || !/deauthorize/i.test(plain);
}
