import type { RequestHandler } from 'express';
import { OAuthError } from '../../shared/refusals/oauth-error.ts';
import { PageError } from '../pages/page-error.ts';
import type { OverloadDeps } from './deps.ts';
import { comeAgainAfter } from './room-for-call.ts';
import { noteShed } from './shed.ts';

/** What is refused last, where refusing calls was not enough: what people do, and exchanges of codes. */

type OverloadedProcess = Pick<OverloadDeps, 'overload' | 'chance'>;

/** For pages. Nothing of the request has been done, so the same request may come again. */
export function refusePeople(context: OverloadedProcess): RequestHandler {
  return (_req, res, next) => {
    if (context.overload.admitsLast()) return next();
    noteShed(res);
    const text = {
      reason: 'There is more to do here at the moment than can be done. Nothing was lost or changed.',
      next: 'Load this page again in a few seconds.',
      retryAfter: comeAgainAfter(context),
    };
    next(new PageError(503, 'Very busy at the moment', text));
  };
}

/** For addresses that give tokens: the code stays good. */
export function refuseExchanges(context: OverloadedProcess): RequestHandler {
  return (_req, res, next) => {
    if (context.overload.admitsLast()) return next();
    noteShed(res);
    const options = { status: 503, retryAfter: comeAgainAfter(context) };
    next(new OAuthError('temporarily_unavailable', 'Try again in a moment.', options));
  };
}
