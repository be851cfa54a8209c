import express, { type Request, type RequestHandler, type Response } from 'express';
import type { Context } from '../../domain/context.ts';
import { takeLargeBodyPlace } from '../../domain/limits/large-bodies.ts';
import { findByToken } from '../../domain/tokens/resolve-token.ts';
import { takersOf } from '../../domain/tokens/proven-app.ts';
import { tokensBeforeBody } from './bearer-token.ts';
import { BODY_LIMIT, LARGE_BODY_LIMIT, STRANGERS_UNPACKED_LIMIT } from './body-limits.ts';
import { readLargeBody } from './read-large-body.ts';
import { isCut, onCut, UnreadableBody } from './unreadable-body.ts';

/**
 * Reads the bodies of calls as bytes, whatever their method or content type. A large body costs memory, and a packed one
 * costs work, before anybody is known to have sent it: so only a caller whom a token before the body makes known may send
 * the first, and a stranger's packed one is unpacked only so far.
 */

/** The codings that are cheap to begin with; a Brotli decoder takes megabytes of memory before its first byte. */
const CHEAP_CODINGS = ['gzip', 'deflate'];

/**
 * Runs a body parser of express; resolves when what reads the body later finds it there. A parser that unpacks does not
 * hear that the connection was cut, and would wait for ever. @throws {UnreadableBody}
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
  });
}

const anyType = { type: () => true };
const wholly = express.raw({ ...anyType, limit: BODY_LIMIT });
const aLittle = express.raw({ ...anyType, limit: STRANGERS_UNPACKED_LIMIT });
const aLittleUnpacked = express.raw({ ...anyType, limit: STRANGERS_UNPACKED_LIMIT, inflate: false });
const unpackedOnly = express.raw({ ...anyType, limit: BODY_LIMIT, inflate: false });

const codingOf = (req: Request) => req.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';

/** For a caller whom nothing makes known. */
function strangersParser(req: Request): RequestHandler {
  const coding = codingOf(req);
  if (coding === 'identity') return wholly;
  return CHEAP_CODINGS.includes(coding) ? aLittle : unpackedOnly;
}

/** Whether a body may be larger than anybody's; one that tells no length, or comes packed, may be. */
function mayBeLarge({ headers }: Request): boolean {
  const { 'content-length': length, 'transfer-encoding': transfer, 'content-encoding': coding } = headers;
  if (transfer === undefined && length === undefined) return false;
  const tellsItsSize = transfer === undefined && coding === undefined;
  return !tellsItsSize || (Number(length ?? 0) > BODY_LIMIT && Number(length) <= LARGE_BODY_LIMIT);
}

async function knownCaller(context: Context, req: Request) {
  for (const { token } of tokensBeforeBody(req).slice(0, 2)) {
    const mapping = await findByToken(context, token);
    if (mapping) return mapping;
  }
  return undefined;
}

type KnownToken = NonNullable<Awaited<ReturnType<typeof findByToken>>>;

const hasEnded = ({ state }: KnownToken) => state !== 'active' && state !== 'unmapped';

/**
 * Reads the body of a call: up to 10 MB where a token in the header or the query is known, else as of a stranger. What was
 * read before is left as it is.
 * @throws {UnreadableBody | Unavailable} in what it answers with
 */
export function readBodyOfCall(context: Context): RequestHandler {
  const read = async (req: Request): Promise<void> => {
    const caller = mayBeLarge(req) ? await knownCaller(context, req) : undefined;
    if (!caller) return untilRead(strangersParser(req), req);
    // Its call is refused whatever the body says, and nothing counts the calls of an ended token.
    if (hasEnded(caller)) return void (req.body = Buffer.alloc(0));
    return readLargeBody(req, () => takeLargeBodyPlace(takersOf(caller)));
  };
  return async (req, _res, next) => {
    if (!Buffer.isBuffer(req.body)) await read(req);
    next();
  };
}

/** Reads the body of a request for a token, whose sender is not known before it is read. */
export const readBodyOfTokenRequest: RequestHandler = async (req, _res, next) => {
  await untilRead(strangersParser(req), req);
  next();
};

/** Reads the body of a request to the exchange, which is a short form. */
export const readFormOfExchange: RequestHandler = async (req, _res, next) => {
  const isCheap = CHEAP_CODINGS.includes(codingOf(req));
  await untilRead(isCheap ? aLittle : aLittleUnpacked, req);
  next();
};
