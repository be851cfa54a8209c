import type { Request, Response } from 'express';
import type { LegacyDeps } from '../deps.ts';
import { Unavailable } from '../../../domain/failures.ts';
import { createPassAnonymous, type AnonymousPassThrough } from '../../../domain/old-api/pass-anonymous.ts';
import {
  createStrangers,
  type LegacyCall,
  type PassedAnswer,
  type PassedCall,
  passServed,
  type UnknownTokenPassThrough,
  passUnconnected,
} from '../../../domain/old-api/pass-through.ts';
import { isKnownRead, mayWriteThere } from '../../../domain/old-calls/old-calls.ts';
import type { ResolvedToken } from '../../../domain/tokens/resolve-token.ts';
import { provenApp } from '../../../domain/tokens/proven-app.ts';
import { REQUEST_ID } from '../../request-id.ts';
import { nameOldRequest } from '../../request-log.ts';
import { callingOf, traceOf } from '../../request-trace.ts';
import { ownHeaders } from '../../wire/added-headers.ts';
import { tokenIfAny, tokenInHeader } from '../../wire/bearer-token.ts';
import { refuseHiddenTokens } from '../hidden-token-check.ts';
import { LegacyError, REFUSALS, tooManyCalls } from '../../wire/legacy-error.ts';
import { clientIdIn } from '../named-app.ts';
import { whatIsLost } from './lost-answer.ts';
import { mayPass, targetOf } from './passable-path.ts';
import { shadowRead } from '../posts/shadowed-reads.ts';
import { markPassed, unmarkPassed } from '../usage-note.ts';

/** The pass-through: calls go to the old API as they came, and its answers go back as they were. */

/** Calls of one proven app and one account count together. Calls of a token without a proven app count alone. */
type CallOwner = NonNullable<ResolvedToken['mapping']>;

/** Shared by all old calls. */
export interface PassThroughDeps {
  context: LegacyDeps;
  /** @throws {LegacyError} 429 */
  limit: (mapping: CallOwner) => void;
  passStranger: UnknownTokenPassThrough;
  passAnonymous: AnonymousPassThrough;
}

type CountedOwner = Pick<
  CallOwner,
  'id' | 'client_id' | 'account_id' | 'source' | 'app_source' | 'app_proven'
>;

/** The name under which calls of an owner are counted. */
function countedAs(mapping: CountedOwner): readonly string[] {
  const app = provenApp(mapping);
  const whose = app === undefined ? mapping.id : (mapping.account_id ?? mapping.id);
  return ['calls', app ?? 'unproven', whose];
}

/** `LEGACY_RATE_LIMIT` calls a minute for one app and account, as the old API had; 0 turns the limit off. */
export function createCallLimit({ counts }: Pick<LegacyDeps, 'counts'>, perMinute: number) {
  return {
    /** Counts a call. @throws {LegacyError} 429 */
    count(mapping: CallOwner): void {
      if (perMinute === 0) return;
      const { points, secondsLeft } = counts.count(countedAs(mapping), { limit: perMinute });
      if (points > perMinute) throw tooManyCalls(secondsLeft);
    },
    /** Counts a call that is not refused. Whether it was counted. */
    admits: (mapping: CountedOwner) => perMinute === 0 || counts.countUpTo(perMinute, countedAs(mapping)),
  };
}

/** What all old calls share. */
export function createPassThroughDeps(context: LegacyDeps, perMinute: number): PassThroughDeps {
  const limit = createCallLimit(context, perMinute);
  return {
    context,
    limit: (mapping) => limit.count(mapping),
    passStranger: createStrangers(context),
    passAnonymous: createPassAnonymous(context),
  };
}

/**
 * The headers to pass on. A packed body was unpacked when the bridge read it, so `Content-Encoding` is left out.
 * `Authorization` is left out where it is not the token that the bridge has read, and where the call has no token.
 */
function rawHeadersOf({ req, token }: OldApiCall, body: Buffer): string[] {
  const isLeftOut = (name: string, value: string) =>
    (name === 'content-encoding' && body.length > 0) ||
    (name === 'authorization' && (token === undefined || tokenInHeader(value) !== token));
  return req.rawHeaders.filter((_, index, raw) => {
    const at = index - (index % 2);
    return !isLeftOut(raw[at]?.toLowerCase() ?? '', raw[at + 1] ?? '');
  });
}

/** A call for the old API to answer. */
interface OldApiCall {
  req: Request;
  res: Response;
  token: string | undefined;
}

/**
 * A call as it came.
 * @throws {LegacyError} 400 where the call may hold another token than the bridge has read
 */
async function passedCall(asking: OldApiCall): Promise<PassedCall> {
  const { req, res } = asking;
  await refuseHiddenTokens(req);
  const body = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
  const rawHeaders = rawHeadersOf(asking, body);
  const [isRead, mayWrite] = [isKnownRead(req), mayWriteThere(req)];
  return {
    method: req.method,
    target: targetOf(req),
    isRead,
    mayWrite,
    rawHeaders,
    body,
    trace: traceOf(res),
  };
}

/**
 * A call with a token as it came, and what the domain needs to know of the call. @throws {LegacyError} as `passedCall`
 */
async function legacyCall({ req, res, token }: OldApiCall & { token: string }): Promise<LegacyCall> {
  return {
    ...(await passedCall({ req, res, token })),
    token,
    clientId: await clientIdIn(req),
    userAgent: req.get('user-agent'),
    address: req.ip ?? '',
    ...callingOf(res),
    carrier: (await tokenIfAny(req))?.carrier ?? 'header',
  };
}

/** Node reads reason phrases that it does not write. */
const WRITABLE_REASON = /^[\t\x20-\x7e\x80-\xff]*$/;

/** An id that the old API gave its answer stays on it. Only the log line has that of the bridge then, beside the other. */
function keepRequestId(res: Response, rawHeaders: PassedAnswer['rawHeaders']): void {
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && /^x-request-id$/i.test(name));
  if (at < 0) return;
  res.removeHeader(REQUEST_ID);
  nameOldRequest(res, rawHeaders[at + 1] ?? '');
}

/**
 * Sends an answer as it was. Headers that the bridge has already set keep the value of the bridge (added-headers.ts).
 */
function sendPassed(res: Response, { status, reason, rawHeaders, body }: PassedAnswer): void {
  keepRequestId(res, rawHeaders);
  const own = ownHeaders(res);
  // An answer to HEAD tells the length of a body that is not sent.
  const isHead = res.req.method === 'HEAD';
  if (!isHead) own.add('content-length');
  rawHeaders.forEach((name, index) => {
    if (index % 2 === 0 && !own.has(name.toLowerCase())) res.appendHeader(name, rawHeaders[index + 1] ?? '');
  });
  if (!isHead && status !== 204 && status !== 304) res.setHeader('Content-Length', body.length);
  res.writeHead(status, WRITABLE_REASON.test(reason) ? reason : '');
  res.end(body);
}

const SHARES = /^\/1\/links\/shares(?:\.json)?(?:\?|$)/;

/** The state of the token; undefined for a call without a token. */
type ResolvedForOldApi = Exclude<ResolvedToken, { kind: 'refused' }> | undefined;

function answerOf(
  { context, passStranger, passAnonymous }: PassThroughDeps,
  { req, res, token }: OldApiCall,
  resolved: ResolvedForOldApi,
): Promise<PassedAnswer | undefined> {
  const address = req.ip ?? '';
  if (resolved === undefined || token === undefined)
    return passAnonymous({
      address,
      isShares: SHARES.test(targetOf(req)),
      readCall: () => passedCall({ req, res, token: undefined }),
    });
  const readCall = () => legacyCall({ req, res, token });
  switch (resolved.kind) {
    case 'served':
      return readCall().then((call) => passServed(context, resolved.mapping, call));
    case 'passed':
      return readCall().then((call) => passUnconnected(context, resolved.mapping, call));
    case 'unknown':
      return passStranger({ token, address, readCall });
  }
}

/**
 * The answer of the old API, of which its call tells from the beginning: where the old API does not answer, the failure is
 * its own, also for a caller that leaves before. Any other failure is of the bridge.
 */
async function markedAnswer(
  passing: PassThroughDeps,
  asking: OldApiCall,
  resolved: ResolvedForOldApi,
): Promise<PassedAnswer | undefined> {
  markPassed(asking.res);
  try {
    const answer = await answerOf(passing, asking, resolved);
    if (!answer) unmarkPassed(asking.res);
    return answer;
  } catch (error) {
    if (!(error instanceof Unavailable)) unmarkPassed(asking.res);
    throw error;
  }
}

/**
 * Passes a call to the old API, and the answer back. Returns false where the old API refuses the token of a call that a
 * grant serves: then no answer has been sent yet.
 * @throws {LegacyError | TokenRefused | LimitReached | Unavailable | WriteRefused} the last where a write is in doubt
 */
export async function passToOldApi(
  passing: PassThroughDeps,
  asking: OldApiCall,
  resolved: ResolvedForOldApi,
): Promise<boolean> {
  if (!mayPass(asking.req)) throw new LegacyError(REFUSALS.unknownPath);
  const answer = await markedAnswer(passing, asking, resolved).catch((error: unknown) => {
    throw whatIsLost(passing.context, { req: asking.req, mapping: resolved?.mapping }, error);
  });
  if (answer) sendPassed(asking.res, answer);
  if (answer && resolved?.kind === 'served' && asking.token !== undefined)
    shadowRead(passing.context, { mapping: resolved.mapping, token: asking.token }, { ...asking, answer });
  return answer !== undefined;
}
