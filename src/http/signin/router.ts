import cookieParser from 'cookie-parser';
import express, { type RequestHandler, Router } from 'express';
import { isOwnForm } from '../../shared/own-form.ts';
import { expiredForm, PageError } from '../page-error.ts';
import { decideApproval, showApproval } from './approve.ts';
import { callback } from './callback.ts';
import type { SigninParts } from './parts.ts';
import { returnToApp } from './return-to-app.ts';

/** Express runs a GET handler for HEAD too; a return that is only looked at must not be used up. */
const refuseHead: RequestHandler = (req, res, next) => {
  if (req.method !== 'HEAD') return next();
  res.status(405).set('Allow', 'GET, POST').end();
};

/** Refuses a form that another site sends, before its body is read. */
function requireOwnForm(publicUrl: string): RequestHandler {
  const own = new URL(publicUrl).origin;
  return (req, _res, next) => {
    const headers = { site: req.get('sec-fetch-site'), origin: req.get('origin') };
    next(isOwnForm(own, headers) ? undefined : expiredForm());
  };
}

/** A restored copy could not finish a consent, so it sends nobody to one; the request waits undecided. */
function refuseOnCopy({ instance }: SigninParts['context']): RequestHandler {
  return (_req, _res, next) => {
    if (!instance.isCopy()) return next();
    throw new PageError(503, 'Nothing can be connected here', {
      reason: 'This is a restored copy of the service, which does not talk to the account pages.',
      next: 'Try again later, or ask the operator of this page.',
    });
  };
}

/** The pages on the way of an authorization: approval and return. GET alone never decides anything. */
export function signinRouter(parts: SigninParts): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const form = express.urlencoded({ extended: false, limit: '16kb', parameterLimit: 20 });
  router.use(['/approve', '/callback'], refuseHead, cookieParser());
  router.use('/approve', refuseOnCopy(parts.context));
  router.get('/approve/:id', showApproval(parts));
  router.post('/approve/:id', requireOwnForm(parts.context.settings.publicUrl), form, decideApproval(parts));
  router.get('/callback', callback(parts, { legacy: returnToApp(parts) }));
  return router;
}
