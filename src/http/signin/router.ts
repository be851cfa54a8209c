import cookieParser from 'cookie-parser';
import { Router } from 'express';
import { brake } from '../pages/brake.ts';
import { readForm, refuseHead, requireOwnForm } from '../pages/forms.ts';
import { decideApproval, DENIED_PATH, showApproval, showDenied } from './approve.ts';
import { companyRoutes } from './company/company-routes.ts';
import { callback } from './return/callback.ts';
import { endReauthorization } from './return/end-reauthorization.ts';
import { refuseOnCopy } from './leave.ts';
import type { SigninPagesDeps } from './parts.ts';
import { returnToApp } from './return/return-to-app.ts';
import { endSignIn, startSignIn } from './sign-in.ts';

const APPROVALS = { what: 'approval pages', perMinute: 600 };
const SIGN_INS = { what: 'sign-ins', perMinute: 600 };

/** A decision is the first part of a request that the bridge stores durably. */
const DECISIONS = { what: 'approval decisions', perMinute: 150 };

/** The pages on the way to the new API and back: approval, sign-in, return. A GET alone never decides anything. */
export function signinRouter(parts: SigninPagesDeps): Router {
  const { context } = parts;
  const endings = {
    legacy: returnToApp(parts),
    sign_in: endSignIn(parts),
    reauthorization: endReauthorization(parts),
  };
  const router = Router({ caseSensitive: true, strict: true });
  router.use(['/approve', '/callback', '/sign-in'], refuseHead, cookieParser());
  router.use(['/approve', '/sign-in'], refuseOnCopy(context));
  router.get(DENIED_PATH, brake(context, APPROVALS), showDenied);
  router.get('/approve/:request', brake(context, APPROVALS), showApproval(parts));
  router.post(
    '/approve/:request',
    requireOwnForm(context.settings.publicUrl),
    brake(context, DECISIONS),
    readForm,
    decideApproval(parts),
  );
  router.get(['/callback', '/callback/:clientId'], callback(parts, endings));
  router.get('/sign-in', brake(context, SIGN_INS), startSignIn(parts));
  companyRoutes(router, parts);
  return router;
}
