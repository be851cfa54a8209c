import type { ErrorRequestHandler, Request, Response } from 'express';
import type { LegacyDeps } from './deps.ts';
import {
  alarmOf,
  Forbidden,
  isKeyFault,
  isStorageFault,
  TokenRefused,
  Unavailable,
} from '../../domain/failures.ts';
import { Overloaded } from '../../domain/limits/overload/overload.ts';
import { OAuthError } from '../../shared/refusals/oauth-error.ts';
import { Refusal } from '../../shared/refusals/refusal.ts';
import { createRefusalLog, kindOf } from '../../shared/log/refusal-log.ts';
import { type CallLimitKind, nameMore, requestFacts } from '../request-log.ts';
import { noteShed, wasShed } from '../overload/shed.ts';
import { UnreadableBody } from '../wire/unreadable-body.ts';
import { LegacyError, REFUSALS, sendLegacyError, sendTokenError } from '../wire/legacy-error.ts';
import { asWriteRefusal, WriteRefused } from './posts/write-answers.ts';
import { answerOfRefusal } from './refusal-answers.ts';
import { isOfOldApi, noteStop } from './usage-note.ts';
import { knownClientOf } from '../wire/client-authentication.ts';
import { MalformedBody } from '../wire/bodies/malformed-body.ts';

/** Turns every thrown error into the form that an old client can parse: one function for each kind of caller. */

/** 400, 413 or 415 for an unreadable body or an address with a broken escape; undefined for other errors. */
function unreadableStatus(error: unknown): number | undefined {
  if (error instanceof UnreadableBody) return error.status;
  return error instanceof MalformedBody || error instanceof URIError ? 400 : undefined;
}

function unavailable(retryAfter: number | undefined, cause: unknown): LegacyError {
  const seconds = Math.max(1, Math.ceil((retryAfter ?? 5000) / 1000));
  return new LegacyError(REFUSALS.unavailable, { headers: { 'Retry-After': String(seconds) }, cause });
}

/** Whether the bridge cannot tell at the moment. Then it never says that a credential is wrong. */
function isOutOfReach(error: unknown): boolean {
  return isStorageFault(error) || isKeyFault(error);
}

function toLegacyError(context: LegacyDeps, error: unknown): LegacyError {
  if (error instanceof LegacyError) return error;
  const refused = error instanceof Refusal ? answerOfRefusal(context, error) : undefined;
  if (refused) return refused;
  if (error instanceof Forbidden) return new LegacyError(REFUSALS.scope);
  if (error instanceof Unavailable) return unavailable(error.retryAfter, error);
  if (isOutOfReach(error)) return unavailable(undefined, error);
  const status = unreadableStatus(error);
  if (status !== undefined) return new LegacyError(status === 413 ? REFUSALS.tooLarge : REFUSALS.malformed);
  return new LegacyError(REFUSALS.unknown, { cause: error });
}

function toTokenError(error: unknown): OAuthError {
  if (error instanceof OAuthError) return error;
  const status = unreadableStatus(error);
  if (status !== undefined)
    return new OAuthError('invalid_request', 'The body could not be read.', { status, cause: error });
  if (error instanceof LegacyError && error.status < 500) {
    return new OAuthError('invalid_request', error.message, { status: error.status });
  }
  const options = { status: 503, retryAfter: 1, cause: error };
  if (error instanceof Unavailable || isOutOfReach(error))
    return new OAuthError('temporarily_unavailable', 'Try again in a moment.', options);
  return new OAuthError('server_error', 'The server met an unexpected condition.', {
    status: 500,
    cause: error,
  });
}

/**
 * At most this many failures of one kind from one network are logged in full in a minute. Somebody has to mend them.
 */
const LINES_OF_FAILURES = 10;

/** What the line of a request tells that ends here. Without a known caller the old API had to answer, or the bridge itself. */
function factsOfEnd(req: Request, res: Response, status: number) {
  res.status(status);
  return { answeredBy: isOfOldApi(res) ? 'old' : 'bridge', ...requestFacts(req, res) };
}

/**
 * The log line of a failure. The outcome of a write is no fault of the bridge, and the words are for the caller alone. The
 * cause, where there is one, tells what became of the connection to the old API.
 */
function lineOf(error: unknown, { code }: LegacyError, facts: ReturnType<typeof factsOfEnd>) {
  if (error instanceof WriteRefused)
    return {
      level: 'warn',
      message: 'a write was not done, or nobody knows',
      fields: { code, error: error.cause, ...facts },
    } as const;
  const message = `${alarmOf(error)}a legacy call failed`;
  return { level: 'error', message, fields: { error, ...facts } } as const;
}

/** Which limit a refusal with 429 is about. The limit of calls is thrown in the form of its answer. */
function limitOf(error: unknown): CallLimitKind {
  return error instanceof LegacyError && !(error instanceof WriteRefused) ? 'calls' : 'new_api';
}

/** Answers refusals of the resource calls. */
export function resourceFailures(context: LegacyDeps): ErrorRequestHandler {
  const note = createRefusalLog({ logger: context.logger, lines: LINES_OF_FAILURES });
  // oxlint-disable-next-line max-params -- express knows an error handler by its four parameters
  return (error, req, res, _next) => {
    const refusal = asWriteRefusal(context, res, toLegacyError(context, error));
    if (error instanceof TokenRefused) noteStop(res, error);
    // The new API was not what failed.
    if (isOutOfReach(error)) nameMore(res, { answeredBy: 'bridge' });
    if (refusal.status === 429) nameMore(res, { limit: limitOf(error) });
    // Of an overload its own lines tell, once a minute.
    if (error instanceof Overloaded) noteShed(res);
    else if (refusal.status >= 500) {
      const line = lineOf(error, refusal, factsOfEnd(req, res, refusal.status));
      note({ ...line, address: req.ip ?? '', kind: kindOf(error) });
    }
    sendLegacyError(res, refusal);
  };
}

/** What the line of a request for a token tells. The words of its answer say why, where nothing else does. */
function factsOfTokenRequest(req: Request, res: Response, refusal: OAuthError) {
  const { status, code, detail = refusal.description } = refusal;
  nameMore(res, { refusal: code, detail });
  return { ...factsOfEnd(req, res, status), refusal: code, detail };
}

/** Each app has lines of its own: many apps may share a network. */
const kindOfApp = (kind: string, clientId: string | undefined) =>
  clientId === undefined ? kind : `${kind} ${clientId}`;

/** Answers refusals of an address that gives tokens. `what` names the request in the log. */
export function tokenFailures(context: LegacyDeps, what: string): ErrorRequestHandler {
  const noteRefusal = createRefusalLog({ logger: context.logger });
  const noteFailure = createRefusalLog({ logger: context.logger, lines: LINES_OF_FAILURES });
  // oxlint-disable-next-line max-params -- express knows an error handler by its four parameters
  return (error, req, res, _next) => {
    const address = req.ip ?? '';
    const refusal = toTokenError(error);
    if (wasShed(res)) return sendTokenError(res, refusal);
    const clientId = knownClientOf(res);
    const common = { refusal: refusal.code, clientId };
    const said = { clientId, ...factsOfTokenRequest(req, res, refusal) };
    if (refusal.status >= 500) {
      const [message, fields] = [`${alarmOf(error)}${what} failed`, { ...said, error }];
      const kind = kindOfApp(kindOf(error) ?? refusal.code, clientId);
      noteFailure({ level: 'error', message, address, kind, common, fields });
    } else {
      const message = `${what} was refused`;
      const kind = kindOfApp(refusal.code, clientId);
      noteRefusal({ level: 'info', message, address, kind, common, fields: said });
    }
    if (error instanceof LegacyError) res.setHeaders(new Map(Object.entries(error.headers)));
    if (refusal.status === 401) res.setHeader('WWW-Authenticate', 'Basic realm="Service"');
    sendTokenError(res, refusal);
  };
}
