import { ApiKeyRefused } from '../../../domain/api-keys/make-api-key.ts';
import { RegistrationRefused } from '../../../domain/apps/register-app.ts';
import { isKeyFault, isStorageFault, Unavailable } from '../../../domain/failures.ts';
import { CursorRefused } from '../../../domain/history/follow-history.ts';
import { ReasonRefused } from '../../../domain/history/reason.ts';
import { TakeBackRefused } from '../../../domain/history/record-deed.ts';
import { ChangeRefused } from '../../../domain/lifecycle/changes/change-rules.ts';
import { redactText } from '../../../shared/log/redaction.ts';
import { PageError } from '../../pages/page-error.ts';
import { UnreadableBody } from '../../wire/unreadable-body.ts';
import { OutcomeUnknown } from './outcome-unknown.ts';
import { ApiProblem, type ProblemName, type RequestMistake } from './problems.ts';

/** What any thrown error is answered with. */

const OF_STATUS: Readonly<Record<number, ProblemName>> = {
  400: 'unreadable-request',
  413: 'body-too-large',
  415: 'not-json',
  429: 'too-many-requests',
  503: 'unavailable',
};

function ofPage({ status, message, retryAfter }: PageError): ApiProblem {
  const parts = retryAfter === undefined ? {} : { retryAfter };
  return new ApiProblem(OF_STATUS[status] ?? 'failed', message, parts);
}

const BODY_WORDS: Record<UnreadableBody['status'], string> = {
  400: 'The body is not one whole JSON object.',
  413: 'The body is longer than the address takes.',
  415: 'The body has to be JSON (Content-Type: application/json), and not packed.',
};

function ofRegistration({ problems }: RegistrationRefused): ApiProblem {
  const errors = problems.map(({ field, entry, text }): RequestMistake => {
    const detail = redactText(entry === undefined ? text : `${entry}: ${text}`);
    return { in: 'body', pointer: `/${field === 'name' || field === 'owner' ? field : `${field}s`}`, detail };
  });
  return new ApiProblem('invalid-request', 'The app cannot be registered like this.', { errors });
}

function ofReason({ message }: ReasonRefused): ApiProblem {
  const detail = message.replace(/^reason: /, '');
  return new ApiProblem('invalid-request', message, { errors: [{ in: 'body', pointer: '/reason', detail }] });
}

const READ_ANEW =
  'What you read of the history before may be in it no more: read it anew from its start, without a cursor.';

/** The refusals of use cases; undefined for other errors. */
function ofRefusal(error: unknown): ApiProblem | undefined {
  if (error instanceof RegistrationRefused) return ofRegistration(error);
  if (error instanceof ReasonRefused) return ofReason(error);
  if (error instanceof ChangeRefused) return new ApiProblem('not-possible', error.message);
  if (error instanceof TakeBackRefused) return new ApiProblem('not-possible', error.message);
  if (error instanceof CursorRefused) return new ApiProblem('not-possible', `${error.message}. ${READ_ANEW}`);
  return error instanceof ApiKeyRefused ? new ApiProblem('invalid-request', error.message) : undefined;
}

/** Of a request that only reads. */
const LATER = 'Nothing was changed. Try again in a minute.';
const BROKE =
  'The request failed. Whether something was changed, the history tells. Give the request id to the operator.';

const CLAIMED =
  'The request ended without an answer. Whether something was changed, the history tells. The same Idempotency-Key is answered with request-open for a day: where nothing was changed, send the request with a new one.';

const UNMARKED =
  'The request ended without an answer. Nobody knows whether it was carried out. Before you send it again, look in the history, or at what it was to change. With an Idempotency-Key a write is never done twice.';

function ofUnknown({ cause, isClaimed }: OutcomeUnknown): ApiProblem {
  return new ApiProblem(problemOf(cause).problem, isClaimed ? CLAIMED : UNMARKED);
}

function ofFailure(error: unknown): ApiProblem {
  const isAway = isStorageFault(error) || isKeyFault(error) || error instanceof Unavailable;
  return isAway ? new ApiProblem('unavailable', LATER, { retryAfter: 60 }) : new ApiProblem('failed', BROKE);
}

/** The problem that answers an error. */
export function problemOf(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  if (error instanceof OutcomeUnknown) return ofUnknown(error);
  if (error instanceof PageError) return ofPage(error);
  if (error instanceof UnreadableBody)
    return new ApiProblem(OF_STATUS[error.status] ?? 'unreadable-request', BODY_WORDS[error.status]);
  if (error instanceof URIError) return new ApiProblem('unreadable-request', 'The address is not valid.');
  return ofRefusal(error) ?? ofFailure(error);
}
