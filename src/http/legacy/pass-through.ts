import type { Request, Response } from 'express';
import type { Context } from '../../domain/context.ts';
import {
  createStrangers,
  isDeauthorize,
  type LegacyCall,
  type PassedAnswer,
  type PassStranger,
  passWaiting,
} from '../../domain/pass-through.ts';
import type { Resolved } from '../../domain/resolve-token.ts';
import { provenApp } from '../../domain/tokens/proven-app.ts';
import { requestIdOf } from '../request-id.ts';
import { ownHeaders } from './added-headers.ts';
import { tokenInHeader } from './bearer-token.ts';
import { refuseHiddenTokens } from './carriers.ts';
import { LegacyError, REFUSALS, tooManyCalls } from './legacy-error.ts';
import { clientIdIn } from './named-app.ts';
import { markPassed } from './usage-note.ts';

/** Calls as they came for the old backend, and its answers as they were for their callers. */

/** Those whose calls count together: a proven app and an account; else a token alone. */
type CallOwner = NonNullable<Resolved['mapping']>;

/** What all old calls share. */
export interface Passing {
  context: Context;
  /** @throws {LegacyError} 429 */
  limit: (mapping: CallOwner) => void;
  passStranger: PassStranger;
}

/** `LEGACY_RATE_LIMIT` calls a minute for one app and account, as the old API had (legacy-api 7); 0 turns it off. */
export function createPassing(context: Context, perMinute: number): Passing {
  return {
    context,
    limit(mapping) {
      if (perMinute === 0) return;
      const app = provenApp(mapping);
      const whose = app === undefined ? mapping.id : (mapping.account_id ?? mapping.id);
      const { points, secondsLeft } = context.counts.count(['calls', app ?? 'unproven', whose]);
      if (points > perMinute) throw tooManyCalls(secondsLeft);
    },
    passStranger: createStrangers(context),
  };
}

/** An address may be sent whole (RFC 9112 section 3.2.2); the old backend is named by the settings alone. */
function targetOf({ originalUrl }: Request): string {
  return originalUrl.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
}

/** Segments of plain characters, none hidden; the last one may have a slash behind it, unless it has a suffix. */
const PLAIN_PATH = /^(?:\/(?!\.)[\w.~!$&'()*+,=:@-]+)*\/(?:(?!\.)[\w.~!$&'()*+,=:@-]+)?$/;
const SLASH_AFTER_SUFFIX = /\.[^/]*\/$/;

const OAUTH = /^\/1\/oauth2(?![a-z0-9])/i;

/**
 * Whether a path may be passed: one that every server reads in the same way, for what ends a token or leads out of v1 has
 * other spellings too. Nothing that is encoded, has parameters, doubled slashes or dot segments; nothing at the OAuth
 * addresses; and what ends a token is spelled as the bridge knows it. No path of v1 needs anything else.
 */
export function isV1(req: Request): boolean {
  if (req.originalUrl.includes('#')) return false;
  const [path = ''] = targetOf(req).split('?');
  if (!PLAIN_PATH.test(path) || SLASH_AFTER_SUFFIX.test(path) || OAUTH.test(path)) return false;
  return isDeauthorize(path) || !/deauthorize/i.test(path);
}

/** A body that came packed was unpacked when it was read; credentials that the bridge did not read prove nothing here. */
function rawHeadersOf({ req, token }: Asking, body: Buffer): string[] {
  const isLeftOut = (name: string, value: string) =>
    (name === 'content-encoding' && body.length > 0) ||
    (name === 'authorization' && tokenInHeader(value) !== token);
  return req.rawHeaders.filter((_, index, raw) => {
    const at = index - (index % 2);
    return !isLeftOut(raw[at]?.toLowerCase() ?? '', raw[at + 1] ?? '');
  });
}

export interface Asking {
  req: Request;
  res: Response;
  token: string;
}

/**
 * A call as it came, and what the domain wants to know of it.
 * @throws {LegacyError} 400 where it may hold a second token
 */
export async function legacyCall(asking: Asking): Promise<LegacyCall> {
  const { req, res, token } = asking;
  await refuseHiddenTokens(req);
  const body = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
  return {
    method: req.method,
    target: targetOf(req),
    rawHeaders: rawHeadersOf(asking, body),
    body,
    token,
    clientId: await clientIdIn(req),
    userAgent: req.get('user-agent'),
    address: req.ip ?? '',
    requestId: requestIdOf(res),
  };
}

/** Sends an answer as it was; headers that the bridge has set already are its own (added-headers.ts). */
export function sendPassed(res: Response, { status, reason, rawHeaders, body }: PassedAnswer): void {
  markPassed(res);
  const own = ownHeaders(res).add('content-length');
  rawHeaders.forEach((name, index) => {
    if (index % 2 === 0 && !own.has(name.toLowerCase())) res.appendHeader(name, rawHeaders[index + 1] ?? '');
  });
  if (status !== 204 && status !== 304) res.setHeader('Content-Length', body.length);
  res.writeHead(status, reason);
  res.end(body);
}

/**
 * Passes a call that the old backend has to answer, and its answer back.
 * @throws {LegacyError | TokenRefused | TooManyGuesses | Unavailable}
 */
export async function passOn(
  { context, limit, passStranger }: Passing,
  asking: Asking,
  resolved: Extract<Resolved, { kind: 'waiting' | 'unknown' }>,
): Promise<void> {
  const { mapping } = resolved;
  if (!isV1(asking.req)) throw new LegacyError(REFUSALS.unknownPath);
  if (mapping) limit(mapping);
  const { req, res, token } = asking;
  const readCall = () => legacyCall(asking);
  const answer = mapping
    ? await passWaiting(context, mapping, await readCall())
    : await passStranger({ token, address: req.ip ?? '', readCall });
  sendPassed(res, answer);
}
