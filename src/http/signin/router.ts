import cookieParser from 'cookie-parser';
import express, { type RequestHandler, Router } from 'express';
import { decideApproval, showApproval } from './approve.ts';
import { callback } from './callback.ts';
import type { SigninParts } from './parts.ts';

/** Express runs a GET handler for HEAD too; a return that is only looked at must not be used up. */
const refuseHead: RequestHandler = (req, res, next) => {
  if (req.method !== 'HEAD') return next();
  res.status(405).set('Allow', 'GET, POST').end();
};

/** The pages on the way of an authorization: approval and return. GET alone never decides anything. */
export function signinRouter(parts: SigninParts): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const form = express.urlencoded({ extended: false, limit: '16kb', parameterLimit: 20 });
  router.use(['/approve', '/callback'], refuseHead, cookieParser());
  router.get('/approve/:id', showApproval(parts));
  router.post('/approve/:id', form, parts.forgery.doubleCsrfProtection, decideApproval(parts));
  router.get('/callback', callback(parts));
  return router;
}
