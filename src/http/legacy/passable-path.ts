import type { Request, RequestHandler } from 'express';
import { isDeauthorize } from '../../domain/old-api/pass-through.ts';
import { collapsedPath, isKnownPath } from '../../domain/old-calls/old-calls.ts';

/**
 * Which paths of old calls mean the same, and which may go to the old API. What is decided here about a path has to be what
 * the old API makes of it.
 */

/** An address may be sent whole (RFC 9112 §3.2.2); the old backend is named by the settings alone. */
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
 * Path and query for the old API: of a known call in its plain spelling (see `collapseKnownPaths`), of anything else as
 * they came.
 */
export function targetOf({ url }: Request): string {
  return withoutOrigin(url);
}

/**
 * A doubled or trailing slash makes no other call. From here on the request has the plain spelling of a known call, so that
 * every rule about the call sees the same path.
 */
export const collapseKnownPaths: RequestHandler = (req, _res, next) => {
  const path = pathOf(req);
  const plain = collapsedPath(path);
  if (plain !== path && isKnownPath(plain)) req.url = plain + withoutOrigin(req.url).slice(path.length);
  next();
};

/** Segments of plain characters, none hidden. */
const PLAIN_PATH = /^\/(?:(?!\.)[\w.~!$&'()*+,=:@-]+(?:\/(?!\.)[\w.~!$&'()*+,=:@-]+)*)?$/;

const OAUTH = /^\/1\/oauth2(?![a-z0-9])/i;

/**
 * Whether a path may be passed: one that every server reads in the same way, for what ends a token or leads out of v1 has
 * other spellings too. Nothing that is encoded, has parameters or dot segments. What a doubled or a trailing slash may hide
 * is judged without them: nothing at the OAuth addresses, and what ends a token is spelled as the bridge knows it. No path
 * of v1 needs anything else.
 */
export function mayPass(req: Request): boolean {
  if (req.originalUrl.includes('#')) return false;
  const path = pathOf(req);
  const plain = collapsedPath(path);
  if (!PLAIN_PATH.test(plain) || OAUTH.test(plain)) return false;
  return isDeauthorize(path) || !/deauthorize/i.test(plain);
}
