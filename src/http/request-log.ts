import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from '../shared/log/logger.ts';
import { createRefusalLog } from '../shared/log/refusal-log.ts';
import { redactText } from '../shared/log/redaction.ts';
import { waitedFor } from './request-id.ts';
import { idsOf } from './request-trace.ts';
import { whenAnswered } from './wire/when-answered.ts';
import { Note } from '../shared/memory/note.ts';

/**
 * One line for a request, once it is answered. The query is left out, because it may hold a token; the path is redacted.
 * By default only refusals and failures of known tokens, and of apps that have shown their secret, have a line: what
 * strangers send is counted by network.
 */

/** Which requests get a line at level `info` (LOG_REQUESTS). At level `debug` every request has one. */
export type RequestLogMode = 'off' | 'errors' | 'all';

const MESSAGE = 'request';

/** `carrier` of a request of an app that has shown its secret. */
const CREDENTIALS = 'credentials';

/** `calls`: those of its app and account a minute here. `new_api`: the budget of the client at the new API, or the new API itself. */
export type CallLimitKind = 'calls' | 'new_api';

/** The facts of a call with a known token, or of a request of an app that has shown its secret. */
interface CallerFacts {
  mappingId?: string;
  clientId: string;
  carrier: string;
  answeredBy: string;
  /** Why a token is not served, in one word, and since when. */
  reason?: string;
  since?: string;
  /** Which limit a call met that was answered 429. */
  limit?: CallLimitKind;
  /** Why a request for a token was refused: the code, and what its answer does not say. */
  refusal?: string;
  detail?: string | undefined;
}

/**
 * No holder of tokens may fill the log, however many tokens an app has: of each app this many refusals, and as many
 * failures, are written in a minute. The others are counted. Requests for tokens have lines and counts of their own: whoever
 * holds a token of an app does not hide that its exchanges fail, and neither do the calls of very many apps.
 */
const LINES_OF_APP = 20;

const callers = new Note<Response, () => CallerFacts>();
const carriers = new Note<Response, string>();

/** Names where a request carries its token. Whether the token is known may never be known. */
export const nameCarrier = (res: Response, carrier: string): void => carriers.set(res, carrier);

/** Names an app that has shown its secret. The bridge itself answers its request. */
export const nameProvenApp = (res: Response, clientId: string): void =>
  nameCaller(res, () => ({ clientId, carrier: CREDENTIALS, answeredBy: 'bridge' }));

const oldRequests = new Note<Response, string>();

/** No id that the old API gives is longer; a longer text is cut. */
const OLD_ID_MAX = 100;

/** Names the id that the old API gave its answer, for the line of the call. It is free text. */
export const nameOldRequest = (res: Response, id: string): void =>
  oldRequests.set(res, redactText(id).slice(0, OLD_ID_MAX));

/** Names the token of a request for its line. `facts` are asked for when the request is answered. */
export function nameCaller(res: Response, facts: () => CallerFacts): void {
  callers.set(res, facts);
}

/** Adds what became known of the caller during the call. A request without a known caller keeps nothing. */
export function nameMore(res: Response, more: Partial<CallerFacts>): void {
  const facts = callers.get(res);
  if (facts) callers.set(res, () => ({ ...facts(), ...more }));
}

/** What is known of the caller of an answered request; undefined without a known one. */
export const callerOf = (res: Response): CallerFacts | undefined => callers.get(res)?.();

/** The path of an address for a line. */
function pathOf(address: string): string {
  return redactText(address.split('?')[0] ?? '').slice(0, 200);
}

/** What every line about a request tells of it. The status of the answer must be set. */
export function requestFacts(req: Request, res: Response) {
  return {
    method: req.method,
    path: pathOf(req.originalUrl),
    status: res.statusCode,
    ms: Math.round(waitedFor(res)),
    ...idsOf(res),
    carrier: carriers.get(res),
    oldRequestId: oldRequests.get(res),
    ...callerOf(res),
  };
}

/** Which lines share a limit, and how they are called where they are counted. */
function kindOf({ clientId, carrier }: CallerFacts, status: number): string {
  const what = status < 500 ? 'refused' : 'failed';
  return carrier === CREDENTIALS ? `${clientId} exchange ${what}` : `${clientId} ${what}`;
}

/** A request that was refused by its head alone, before any step of the others. */
interface RefusedHead {
  method: string | undefined;
  path: string;
  status: number;
  ms: number;
  requestId: string;
  carrier: string;
}

/** Writes the line of a request that was refused by its head alone. */
export type HeadLog = (refused: RefusedHead) => void;

/** Logs such requests where every request has a line. Else undefined: a refusal must cost next to nothing. */
export function logHeads(logger: Logger, mode: RequestLogMode): HeadLog | undefined {
  const level = mode === 'all' ? 'info' : 'debug';
  if (!logger.isLevelEnabled(level)) return undefined;
  return ({ path, ms, ...head }) =>
    logger.log(level, MESSAGE, {
      ...head,
      path: pathOf(path),
      ms: Math.round(ms),
      answeredBy: 'bridge',
    });
}

/** Logs answered requests as `mode` says. */
export function logRequests(logger: Logger, mode: RequestLogMode): RequestHandler {
  const noteCall = createRefusalLog({ logger, lines: LINES_OF_APP });
  const noteExchange = createRefusalLog({ logger, lines: LINES_OF_APP });
  const noteCaller = (caller: CallerFacts, fields: ReturnType<typeof requestFacts>) => {
    const note = caller.carrier === CREDENTIALS ? noteExchange : noteCall;
    const kind = kindOf(caller, fields.status);
    const common = { clientId: caller.clientId };
    note({ level: 'info', message: MESSAGE, address: '', kind, common, fields });
  };
  return (req, res, next) => {
    whenAnswered(res, logger, () => {
      const caller = mode === 'errors' && res.statusCode >= 400 ? callerOf(res) : undefined;
      if (mode === 'all') logger.info(MESSAGE, requestFacts(req, res));
      else if (caller) noteCaller(caller, requestFacts(req, res));
      else if (logger.isLevelEnabled('debug')) logger.debug(MESSAGE, requestFacts(req, res));
    });
    next();
  };
}
