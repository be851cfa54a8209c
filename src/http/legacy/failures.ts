import type { ErrorRequestHandler } from 'express';
import type { LegacyDeps } from './deps.ts';
import {
  alarmOf,
  BudgetSpent,
  Forbidden,
  GrantDead,
  isKeyFault,
  isStorageFault,
  ReadGivesWay,
  ScopeMissing,
  TokenRefused,
  TooManyGuesses,
  Unavailable,
} from '../../domain/failures.ts';
import { FieldRefused } from '../../domain/translation/call-fields.ts';
import { refusalOfField } from '../../domain/translation/old-refusal.ts';
import { OAuthError } from '../../shared/oauth-error.ts';
import { createRefusalLog, kindOf } from '../../shared/log/refusal-log.ts';
import { UnreadableBody } from '../wire/unreadable-body.ts';
import { inBrownout } from './brownout-text.ts';
import {
  LegacyError,
  REFUSALS,
  sendLegacyError,
  sendTokenError,
  tooManyCalls,
} from '../wire/legacy-error.ts';
import { asWriteRefusal, WriteRefused } from './posts/write-answers.ts';
import { MalformedBody } from '../wire/request-parameters.ts';

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

function invalidToken(context: LegacyDeps, { reauthorize, brownout }: TokenRefused): LegacyError {
  const refusal = brownout ? inBrownout(context, REFUSALS.invalidToken, brownout) : REFUSALS.invalidToken;
  return new LegacyError(refusal, { extra: reauthorize === undefined ? {} : { reauthorize } });
}

/** Names the parameter that cannot be used. A call that reads can be refused for a parameter too. */
function refusedField(error: FieldRefused): LegacyError {
  const { status, code, message } = refusalOfField(error);
  return new LegacyError([status, code, message]);
}

/** Refusals because of a caller's limits, rights and parameters. */
function refusedByRights(error: unknown): LegacyError | undefined {
  if (error instanceof FieldRefused) return refusedField(error);
  if (error instanceof TooManyGuesses) return tooManyCalls(error.secondsLeft);
  if (error instanceof ReadGivesWay) return tooManyCalls(Math.ceil(error.retryAfter / 1000));
  if (error instanceof BudgetSpent) return tooManyCalls(Math.ceil((error.retryAfter ?? 1000) / 1000));
  if (error instanceof ScopeMissing)
    return new LegacyError(REFUSALS.scope, { extra: { reauthorize: error.reauthorize } });
  return error instanceof Forbidden ? new LegacyError(REFUSALS.scope) : undefined;
}

function toLegacyError(context: LegacyDeps, error: unknown): LegacyError {
  if (error instanceof LegacyError) return error;
  if (error instanceof TokenRefused) return invalidToken(context, error);
  if (error instanceof GrantDead) return new LegacyError(REFUSALS.invalidToken);
  const refused = refusedByRights(error);
  if (refused) return refused;
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
  if (isOutOfReach(error))
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

/**
 * The log line of a failure. The outcome of a write is no fault of the bridge, and the words are for the caller alone.
 */
function lineOf(error: unknown, { status, code }: LegacyError) {
  if (error instanceof WriteRefused)
    return {
      level: 'warn',
      message: 'a write was not done, or nobody knows',
      fields: { status, code },
    } as const;
  const message = `${alarmOf(error)}a legacy call failed`;
  return { level: 'error', message, fields: { status, error } } as const;
}

/** Answers refusals of the resource calls. */
export function resourceFailures(context: LegacyDeps): ErrorRequestHandler {
  const note = createRefusalLog({ logger: context.logger, lines: LINES_OF_FAILURES });
  // oxlint-disable-next-line max-params -- express knows an error handler by its four parameters
  return (error, req, res, _next) => {
    const refusal = asWriteRefusal(context, res, toLegacyError(context, error));
    if (refusal.status >= 500)
      note({ ...lineOf(error, refusal), address: req.ip ?? '', kind: kindOf(error) });
    sendLegacyError(res, refusal);
  };
}

/** Answers refusals of an address that gives tokens. `what` names the request in the log. */
export function tokenFailures(context: LegacyDeps, what: string): ErrorRequestHandler {
  const noteRefusal = createRefusalLog({ logger: context.logger });
  const noteFailure = createRefusalLog({ logger: context.logger, lines: LINES_OF_FAILURES });
  // oxlint-disable-next-line max-params -- express knows an error handler by its four parameters
  return (error, req, res, _next) => {
    const address = req.ip ?? '';
    const refusal = toTokenError(error);
    const said = { refusal: refusal.code, detail: refusal.detail };
    if (refusal.status >= 500) {
      const [message, fields] = [`${alarmOf(error)}${what} failed`, { ...said, error }];
      noteFailure({ level: 'error', message, address, kind: kindOf(error), fields });
    } else {
      const message = `${what} was refused`;
      noteRefusal({ level: 'info', message, address, kind: refusal.code, fields: said });
    }
    if (error instanceof LegacyError) res.setHeaders(new Map(Object.entries(error.headers)));
    if (refusal.status === 401) res.setHeader('WWW-Authenticate', 'Basic realm="Service"');
    sendTokenError(res, refusal);
  };
}
