import type { ErrorRequestHandler, Response } from 'express';
import { alarmOf } from '../../../domain/failures.ts';
import type { Logger } from '../../../shared/log/logger.ts';
import { createRefusalLog, kindOf } from '../../../shared/log/refusal-log.ts';
import { wasShed } from '../../overload/shed.ts';
import { idsOf } from '../../request-trace.ts';
import { requestIdOf } from '../../request-id.ts';
import { causeOf } from './outcome-unknown.ts';
import { problemOf } from './problem-of.ts';
import { type ApiProblem, PROBLEMS } from './problems.ts';

/** Answers with a problem (RFC 9457). */

/** The address that explains a problem, the same at every installation. */
export const PROBLEMS_PATH = '/api/v1/problems/';

/** The body of an answer. */
function problemBody({ problem, message, parts }: ApiProblem, requestId: string) {
  const [status, title] = PROBLEMS[problem];
  const { errors } = parts;
  const named = { type: PROBLEMS_PATH + problem, title, status, detail: message, request_id: requestId };
  return errors === undefined ? named : { ...named, errors };
}

const CHALLENGES: Readonly<Record<string, string>> = {
  'no-key': 'Bearer realm="grantbridge"',
  'wrong-key': 'Bearer realm="grantbridge", error="invalid_token"',
  'role-too-low': 'Bearer realm="grantbridge", error="insufficient_scope"',
};

function sendProblemOf(res: Response, problem: ApiProblem): void {
  const { retryAfter, allow } = problem.parts;
  const challenge = CHALLENGES[problem.problem];
  if (challenge !== undefined) res.setHeader('WWW-Authenticate', challenge);
  if (retryAfter !== undefined) res.setHeader('Retry-After', String(retryAfter));
  if (allow !== undefined) res.setHeader('Allow', allow);
  res.statusCode = PROBLEMS[problem.problem][0];
  res.setHeader('Content-Type', 'application/problem+json');
  res.end(JSON.stringify(problemBody(problem, requestIdOf(res))));
}

/** How many failures of a network are logged singly in a minute. */
const LINES_OF_FAILURES = 20;

/** The one error handler of the staff API. */
export function apiFailures({ logger }: { logger: Logger }): ErrorRequestHandler {
  const note = createRefusalLog({ logger, lines: LINES_OF_FAILURES });
  // oxlint-disable-next-line max-params -- express knows an error handler by its four parameters
  return (failure, req, res, next) => {
    if (res.headersSent) return next(failure);
    const [problem, error] = [problemOf(failure), causeOf(failure)];
    if (PROBLEMS[problem.problem][0] >= 500 && !wasShed(res)) {
      const line = {
        message: `${alarmOf(error)}a request of the staff API failed`,
        fields: { ...idsOf(res), error },
      };
      note({ level: 'error', ...line, address: req.ip ?? '', kind: kindOf(error) });
    }
    sendProblemOf(res, problem);
  };
}
