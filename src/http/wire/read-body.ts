import express, { type Request, type RequestHandler, type Response } from 'express';
import type { Context } from '../../domain/context.ts';
import { findByToken } from '../../domain/resolve-token.ts';
import { tokensBeforeBody } from '../legacy/bearer-token.ts';

/**
 * Reads the bodies of calls as bytes, whatever their method or content type. A body that came packed costs work before
 * anybody is known to have sent it, so that a stranger's is unpacked only so far.
 */

const BODY_LIMIT = '256kb';

/** How far a packed body is unpacked of a caller whom nothing before the body makes known. */
const STRANGERS_LIMIT = '16kb';

/** The codings that are cheap to begin with; a Brotli decoder takes megabytes of memory before its first byte. */
const CHEAP_CODINGS = ['gzip', 'deflate'];

/** A body that cannot be read: its sender's fault in every case, for nothing else fails while it is read. */
export class UnreadableBody extends Error {
  override readonly name = 'UnreadableBody';
  readonly status: 400 | 413 | 415;
  constructor(cause: unknown) {
    super('the body cannot be read', { cause });
    const { status } = Object(cause) as { status?: unknown };
    this.status = status === 413 || status === 415 ? status : 400;
  }
}

/** Runs a body parser of express; resolves when what reads the body later finds it there. @throws {UnreadableBody} */
export function untilRead(parse: RequestHandler, req: Request): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: unknown) => {
      const failure =
        error ?? (req.destroyed && !req.complete ? new Error('the connection was cut') : undefined);
      if (failure) reject(new UnreadableBody(failure));
      else resolve();
    };
    void parse(req, req.res as Response, done);
  });
}

const anyType = { type: () => true };
const wholly = express.raw({ ...anyType, limit: BODY_LIMIT });
const aLittle = express.raw({ ...anyType, limit: STRANGERS_LIMIT });
const aLittleUnpacked = express.raw({ ...anyType, limit: STRANGERS_LIMIT, inflate: false });
const unpackedOnly = express.raw({ ...anyType, limit: BODY_LIMIT, inflate: false });

const codingOf = (req: Request) => req.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';

async function isKnown(context: Context, req: Request): Promise<boolean> {
  for (const { token } of tokensBeforeBody(req).slice(0, 2))
    if (await findByToken(context, token)) return true;
  return false;
}

/** By who sends it: packed bodies of strangers are unpacked a little way, or not at all. */
async function parserFor(req: Request, isCallerKnown: () => Promise<boolean>): Promise<RequestHandler> {
  const coding = codingOf(req);
  if (coding === 'identity' || (await isCallerKnown())) return wholly;
  return CHEAP_CODINGS.includes(coding) ? aLittle : unpackedOnly;
}

/** Reads a body wholly where a token before it is known, and the packed one of anybody else a little way. */
export function readBodyOfCall(context: Context): RequestHandler {
  return async (req, _res, next) => {
    await untilRead(await parserFor(req, () => isKnown(context, req)), req);
    next();
  };
}

const nobody = () => Promise.resolve(false);

/** Reads the body of a request for a token, whose sender is not known before it is read. */
export const readBodyOfTokenRequest: RequestHandler = async (req, _res, next) => {
  await untilRead(await parserFor(req, nobody), req);
  next();
};

/** Reads the body of a request to the exchange, which is a short form. */
export const readFormOfExchange: RequestHandler = async (req, _res, next) => {
  const isCheap = CHEAP_CODINGS.includes(codingOf(req));
  await untilRead(isCheap ? aLittle : aLittleUnpacked, req);
  next();
};
