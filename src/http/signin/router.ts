import cookieParser from 'cookie-parser';
import { Router } from 'express';
import { readForm, refuseHead, requireOwnForm } from '../forms.ts';
import { decideApproval, showApproval } from './approve.ts';
import { callback } from './callback.ts';
import { endReauthorization } from './end-reauthorization.ts';
import { refuseOnCopy } from './leave.ts';
import type { SigninParts } from './parts.ts';
import { returnToApp } from './return-to-app.ts';
import { endSignIn, startSignIn } from './sign-in.ts';

/** The pages on the way to the modern side and back: approval, sign-in, return. GET alone never decides anything. */
export function signinRouter(parts: SigninParts): Router {
  const endings = {
    legacy: returnToApp(parts),
    sign_in: endSignIn(parts),
    reauthorization: endReauthorization(parts),
  };
  const router = Router({ caseSensitive: true, strict: true });
  router.use(['/approve', '/callback', '/sign-in'], refuseHead, cookieParser());
  router.use(['/approve', '/sign-in'], refuseOnCopy(parts.context));
  router.get('/approve/:id', showApproval(parts));
  router.post(
    '/approve/:id',
    requireOwnForm(parts.context.settings.publicUrl),
    readForm,
    decideApproval(parts),
  );
  router.get(['/callback', '/callback/:clientId'], callback(parts, endings));
  router.get('/sign-in', startSignIn(parts));
  return router;
}
