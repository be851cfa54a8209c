import { finished } from 'node:stream';
import express, { type Request, type RequestHandler, type Response } from 'express';
import type { WireDeps } from './deps.ts';
import {
  takeLargeBodyPlace,
  takeLongBodyPlace,
  takeStrangersBodyPlace,
} from '../../domain/limits/large-bodies.ts';
import { networkKey } from '../../shared/net/addresses.ts';
import { findByToken } from '../../domain/tokens/resolve-token.ts';
import { takersOf } from '../../domain/tokens/proven-app.ts';
import { tokensBeforeBody } from './bearer-token.ts';
import { BODY_LIMIT, LARGE_BODY_LIMIT, SHORT_BODY, STRANGERS_UNPACKED_LIMIT } from './body-limits.ts';
import { readLargeBody } from './read-large-body.ts';
import { isCut, onCut, slowBeyond, UnreadableBody } from './unreadable-body.ts';

/**
 * Reads the bodies of calls as bytes, for every method and content type. A large body costs memory and a packed body
 * costs work, before the bridge knows the sender. So only a caller with a known token before the body may send a large
 * body. A packed body of an unknown caller is unpacked only up to a limit.
 */

/** Codings whose decoder starts cheaply. A Brotli decoder takes megabytes of memory before its first byte. */
const CHEAP_CODINGS = ['gzip', 'deflate'];

/**
 * Runs a body parser of express. Resolves when the body is ready for later readers. A parser that unpacks does not
 * notice that the connection was cut, and would wait for ever. @throws {UnreadableBody}
 */
export function untilRead(parse: RequestHandler, req: Request): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (cause: unknown) => reject(new UnreadableBody(cause));
    const forget = onCut(req, refuse);
    const done = (error?: unknown) => {
      forget();
      if (error || isCut(req)) refuse(error ?? new Error('the connection was cut'));
      else resolve();
    };
    void parse(req, req.res as Response, done);
    slowBeyond(req, BODY_LIMIT);
  });
}

const anyType = { type: () => true };
const wholly = express.raw({ ...anyType, limit: BODY_LIMIT });
const aLittle = express.raw({ ...anyType, limit: STRANGERS_UNPACKED_LIMIT });
const aLittleUnpacked = express.raw({ ...anyType, limit: STRANGERS_UNPACKED_LIMIT, inflate: false });
const unpackedOnly = express.raw({ ...anyType, limit: BODY_LIMIT, inflate: false });

const TOO_LARGE = Object.assign(new Error('the body is too large'), { status: 413 });

/** The length that a body declares, where it declares one. */
const declaredLength = ({ headers }: Request): number | undefined =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined;

const codingOf = (req: Request) => req.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';

/** The parser for an unknown caller. */
function strangersParser(req: Request): RequestHandler {
  const coding = codingOf(req);
  if (coding === 'identity') return wholly;
  return CHEAP_CODINGS.includes(coding) ? aLittle : unpackedOnly;
}

/** Whether many such bodies could fill memory: they are not short, and not so long that they are refused unread. */
function isLong(req: Request): boolean {
  const length = declaredLength(req);
  return length === undefined || (length > SHORT_BODY && length <= BODY_LIMIT);
}

/**
 * Reads a body with the limits of an unknown caller. Anybody may send many bodies slowly, so only a few long ones are
 * read at a time. A place is given back after the answer, because the body is in memory until then.
 * @throws {UnreadableBody | Unavailable}
 */
async function readInPlace(req: Request, ask: () => Promise<() => void>): Promise<void> {
  const length = declaredLength(req) ?? 0;
  // The rest is read after the answer (`server.ts`).
  if (length > LARGE_BODY_LIMIT) throw new UnreadableBody(TOO_LARGE);
  if (isLong(req)) finished(req.res as Response, await ask());
  return untilRead(strangersParser(req), req);
}

const readAsStranger = (req: Request): Promise<void> =>
  readInPlace(req, () => takeStrangersBodyPlace([networkKey(req.ip ?? '')]));

/**
 * Whether a body may be larger than the limit for unknown callers. A packed body, or a body of unknown length, may be.
 */
function mayBeLarge({ headers }: Request): boolean {
  const { 'content-length': length, 'transfer-encoding': transfer, 'content-encoding': coding } = headers;
  if (transfer === undefined && length === undefined) return false;
  const tellsItsSize = transfer === undefined && coding === undefined;
  return !tellsItsSize || (Number(length ?? 0) > BODY_LIMIT && Number(length) <= LARGE_BODY_LIMIT);
}

async function knownCaller(context: WireDeps, req: Request) {
  for (const { token } of tokensBeforeBody(req).slice(0, 2)) {
    const mapping = await findByToken(context, token);
    if (mapping) return mapping;
  }
  return undefined;
}

type KnownToken = NonNullable<Awaited<ReturnType<typeof findByToken>>>;

const hasEnded = ({ state }: KnownToken) => state !== 'active' && state !== 'unmapped';

/**
 * Reads the body of a call: up to 10 MB where the token in the header or the query is known, else with the limits of an
 * unknown caller. A body that has been read already stays.
 * @throws {UnreadableBody | Unavailable} the errors that the call is answered with
 */
export function readBodyOfCall(context: WireDeps): RequestHandler {
  const read = async (req: Request): Promise<void> => {
    const isLarge = mayBeLarge(req);
    const caller = isLarge || isLong(req) ? await knownCaller(context, req) : undefined;
    if (!caller) return readAsStranger(req);
    if (!isLarge) return readInPlace(req, () => takeLongBodyPlace(takersOf(caller)));
    // The call is refused for every body, and no limit counts the calls of an ended token.
    if (hasEnded(caller)) return void (req.body = Buffer.alloc(0));
    return readLargeBody(req, () => takeLargeBodyPlace(takersOf(caller)));
  };
  return async (req, _res, next) => {
    if (!Buffer.isBuffer(req.body)) await read(req);
    next();
  };
}

/** Reads the body of a request for a token. Its sender is unknown until the body is read. */
export const readBodyOfTokenRequest: RequestHandler = async (req, _res, next) => {
  await readAsStranger(req);
  next();
};

/** Reads the body of a request to the exchange: a short form. */
export const readFormOfExchange: RequestHandler = async (req, _res, next) => {
  const isCheap = CHEAP_CODINGS.includes(codingOf(req));
  await untilRead(isCheap ? aLittle : aLittleUnpacked, req);
  next();
};
