import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { alarmOf, isKeyFault, isStorageFault } from '../../domain/failures.ts';
import type { Logger } from '../../shared/log/logger.ts';
import type { PageRenderer } from '../../shared/pages.ts';
import { createRefusalLog, kindOf } from '../../shared/log/refusal-log.ts';
import { wasShed } from '../overload/shed.ts';
import { PageError } from '../pages/page-error.ts';
import { sendPage } from '../pages/page-headers.ts';
import type { PageShell } from './page-shell.ts';
import { type VisitorLookup, isVisitorKnown } from './visitor.ts';
import { requestIdOf } from '../request-id.ts';
import { idsOf } from '../request-trace.ts';
import { answerForm, sendProblem } from '../pages/answer-form.ts';
import { halfOf, otherWays, wayOnFrom } from './ways-on.ts';

const SOMETHING_BROKE = new PageError(500, 'Something went wrong', {
  reason: 'The page could not be shown. Nothing was lost.',
  next: 'Try again in a minute. If it happens again, give the request number below to support.',
});

const TRY_LATER = new PageError(503, 'Not available at the moment', {
  reason: 'The page could not be shown. Nothing was lost.',
  next: 'Try again in a minute.',
});

const UNREADABLE = new PageError(400, 'This request could not be read', {
  reason: 'The form was too large or broken.',
});

/** The page for any thrown error. The form reader marks its own errors by a `type`. */
function toPageError(error: unknown): PageError {
  if (error instanceof PageError) return error;
  if (isStorageFault(error) || isKeyFault(error)) return TRY_LATER;
  const { type } = error as { type?: unknown };
  return typeof type === 'string' || error instanceof URIError ? UNREADABLE : SOMETHING_BROKE;
}

/** A page for an address that is not served. */
export const pageNotFound: RequestHandler = () => {
  throw new PageError(404, 'There is no such page', {
    reason: 'The address is not one that is served here.',
  });
};

/**
 * How many failures of a network are logged singly in a minute: a person may give support the request number of each.
 */
const LINES_OF_FAILURES = 20;

interface PageFailureDeps {
  logger: Logger;
  pages: PageRenderer;
  frame: Pick<PageShell, 'page'>;
  know: VisitorLookup;
}

/**
 * Shows the error in the navigation of the person, where there is one. When the navigation itself is broken, the caller
 * shows a page without navigation.
 */
function showFramed(res: Response, { logger, frame }: PageFailureDeps, shown: { title: string }): boolean {
  const { req } = res;
  if (!halfOf(req) || !isVisitorKnown(req)) return false;
  try {
    frame.page(res, 'error', shown);
    return true;
  } catch (error) {
    logger.warn('an error page stands without its navigation', { ...idsOf(res), error });
    return false;
  }
}

function show(res: Response, answer: PageFailureDeps, failure: PageError): void {
  const { status, title, message, next, forMakers } = failure;
  const requestId = status >= 500 ? requestIdOf(res) : undefined;
  const wayOn = wayOnFrom(res, failure);
  const shown = { title, reason: message, next, forMakers, requestId, wayOn };
  if (showFramed(res, answer, shown)) return;
  sendPage(res, answer.pages.render('error', { ...shown, otherWays: otherWays(res, wayOn) }));
}

/** A page for people, a parsable form for programs. */
async function tell(res: Response, answer: PageFailureDeps, failure: PageError): Promise<void> {
  const { status, title, message, next } = failure;
  const form = answerForm(res.req);
  if (form !== 'html')
    return sendProblem(res, form, { status, title, detail: next ? `${message} ${next}` : message });
  // After a failure of the server the visitor is not looked up: the look-up itself may be broken.
  if (status < 500) await answer.know(res.req, res);
  show(res, answer, failure);
}

/** What a client has to send when the answer says that it is not signed in (RFC 9110 §15.5.2). */
const CHALLENGE = 'Cookie realm="grantbridge"';

function setHeaders(res: Response, { status, retryAfter }: PageError): void {
  res.statusCode = status;
  if (status === 401) res.setHeader('WWW-Authenticate', CHALLENGE);
  if (retryAfter !== undefined) res.setHeader('Retry-After', String(retryAfter));
}

/** The one error handler of the pages. */
export function pageFailures(answer: PageFailureDeps): ErrorRequestHandler {
  const note = createRefusalLog({ logger: answer.logger, lines: LINES_OF_FAILURES });
  // oxlint-disable-next-line max-params -- express knows an error handler by its four parameters
  return async (error, req, res, _next) => {
    const failure = toPageError(error);
    // Of an overload its own lines tell.
    if (failure.status >= 500 && !wasShed(res)) {
      const fields = { ...idsOf(res), error };
      const line = { message: `${alarmOf(error)}a page failed`, fields };
      note({ level: 'error', ...line, address: req.ip ?? '', kind: kindOf(error) });
    }
    // Half of a file was sent: nothing else can be said in it.
    if (res.headersSent) return void res.destroy();
    setHeaders(res, failure);
    await tell(res, answer, failure);
  };
}
