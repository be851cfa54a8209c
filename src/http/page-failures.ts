import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { alarmOf, isKeyFault, isStorageFault } from '../domain/failures.ts';
import type { Logger } from '../shared/logger.ts';
import type { Pages } from '../shared/pages.ts';
import { createRefusalLog, kindOf } from '../shared/refusal-log.ts';
import { PageError, type WayOn } from './page-error.ts';
import { sendPage } from './page-headers.ts';
import { type Frame, roleIn } from './people/frame.ts';
import { requestIdOf } from './request-id.ts';
import type { Person } from './signin/session.ts';

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

/** The page for whatever was thrown; the form reader marks its own by a type. */
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

/** The pages that stand in the frame, by how their addresses begin, and where each half of them begins. */
const FRAMED: Readonly<Record<string, WayOn>> = {
  apps: { href: '/apps', label: 'Your apps' },
  support: { href: '/support', label: 'Support: search' },
};

const halfOf = ({ path }: Request) => FRAMED[path.split('/')[1] ?? ''];

/** Whether somebody is signed in, where the request came so far that this is known. */
function isSignedIn(req: Request): boolean {
  const { session } = req as { session?: { person?: Person } };
  return session?.person !== undefined;
}

/** One link to go on by; nobody is led to where only staff may go who is known not to be of the staff. */
function wayOnFrom(res: Response, { wayOn }: PageError): WayOn | undefined {
  const { req } = res;
  const half = halfOf(req);
  const isShut = half === FRAMED['support'] && isSignedIn(req) && roleIn(res) === undefined;
  return wayOn ?? (isShut ? FRAMED['apps'] : half);
}

/** Somebody may give support the number of each of them. */
const LINES_OF_FAILURES = 20;

interface Answer {
  logger: Logger;
  pages: Pages;
  frame: Pick<Frame, 'page'>;
}

/** With the navigation of the person where there is one; what is broken may be what the frame is made of. */
function show(res: Response, { logger, pages, frame }: Answer, shown: { title: string }): void {
  const { req } = res;
  try {
    if (halfOf(req) && isSignedIn(req)) return frame.page(res, 'error', shown);
  } catch (error) {
    logger.warn('an error page stands without its navigation', { requestId: requestIdOf(res), error });
  }
  sendPage(res, pages.render('error', shown));
}

/** The one error answer for people. */
export function pageFailures(answer: Answer): ErrorRequestHandler {
  const note = createRefusalLog({ logger: answer.logger, lines: LINES_OF_FAILURES });
  // oxlint-disable-next-line max-params -- express knows an error handler by its four parameters
  return (error, req, res, _next) => {
    const failure = toPageError(error);
    const { status, title, message, next, forMakers, retryAfter } = failure;
    const requestId = status >= 500 ? requestIdOf(res) : undefined;
    if (status >= 500) {
      const line = { message: `${alarmOf(error)}a page failed`, fields: { requestId, error } };
      note({ level: 'error', ...line, address: req.ip ?? '', kind: kindOf(error) });
    }
    res.statusCode = status;
    if (retryAfter !== undefined) res.setHeader('Retry-After', String(retryAfter));
    const shown = { title, reason: message, next, forMakers, requestId, wayOn: wayOnFrom(res, failure) };
    show(res, answer, shown);
  };
}
