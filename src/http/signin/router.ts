import cookieParser from 'cookie-parser';
import express, { Router } from 'express';
import { decideApproval, showApproval } from './approve.ts';
import { callback } from './callback.ts';
import type { SigninParts } from './parts.ts';

/** The pages on the way of an authorization: approval and return. GET alone never decides anything. */
export function signinRouter(parts: SigninParts): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const form = express.urlencoded({ extended: false, limit: '16kb', parameterLimit: 20 });
  router.use(['/approve', '/callback'], cookieParser());
  router.get('/approve/:id', showApproval(parts));
  router.post('/approve/:id', form, parts.forgery.doubleCsrfProtection, decideApproval(parts));
  router.get('/callback', callback(parts));
  return router;
}
