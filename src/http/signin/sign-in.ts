import type { Request, RequestHandler, Response } from 'express';
import { startSignInRequest } from '../../domain/authorization/sign-in-request.ts';
import { completeSignIn } from '../../domain/authorization/sign-in.ts';
import { sendPage } from '../pages/page-headers.ts';
import { requestIdOf } from '../request-id.ts';
import type { ReturnEnding } from './return/callback.ts';
import { leaveToConsent } from './leave.ts';
import type { SigninPagesDeps } from './parts.ts';
import { returnPath } from './return-path.ts';
import { startSession } from './session.ts';

/**
 * GET /sign-in and its ending. A sign-in changes nothing until the person comes back from the new API. So a link may
 * start a sign-in, and the bridge stores nothing of a sign-in before the return.
 */

/** Sends the browser to the new API, which names the account of the person. */
export function startSignIn(parts: SigninPagesDeps): RequestHandler {
  return async (req, res, next) => {
    const returnTo = returnPath(req.query['return_to']);
    const keepVerifier = async (verifier: string) => {
      const { state, ...kept } = startSignInRequest(parts.context, { verifier, returnTo });
      parts.signIns.give(req, res, kept);
      return state;
    };
    const client = await parts.clientFor({ purpose: 'sign_in', client_id: null });
    await leaveToConsent(parts, { client, keepVerifier }, [req, res, next]);
  };
}

/** Opens the session for the return of a sign-in. Other returns do not depend on sessions. */
function openSession({ sessions }: SigninPagesDeps, req: Request, res: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    void sessions(req, res, (error?: unknown) => (error ? reject(error) : resolve()));
  });
}

/** The ending of purpose `sign_in`. */
export function endSignIn(parts: SigninPagesDeps): ReturnEnding {
  return {
    async finish(request, consented) {
      const person = await completeSignIn(
        parts.context,
        consented,
        consented.calling?.requestId ?? request.id,
      );
      return async (req, res) => {
        await openSession(parts, req, res);
        await startSession(req, person, parts.context.clock.now());
        parts.context.logger.debug('somebody signed in', { requestId: requestIdOf(res) });
        res.redirect(303, returnPath(request.return_to));
      };
    },
    fail: (request, error) => (_req, res) => {
      const again = `/sign-in?return_to=${encodeURIComponent(returnPath(request.return_to))}`;
      const isDenied = error === 'access_denied';
      sendPage(res, parts.pages.render('not-signed-in', { title: 'You are not signed in', isDenied, again }));
    },
  };
}
