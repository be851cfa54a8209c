import type { RequestHandler } from 'express';
import { startSignInRequest } from '../../domain/authorization/sign-in-request.ts';
import { completeSignIn } from '../../domain/authorization/sign-in.ts';
import { sendPage } from '../pages/page-headers.ts';
import type { ReturnEnding } from './return/callback.ts';
import { leaveToConsent } from './leave.ts';
import type { SigninPagesDeps } from './parts.ts';
import { returnPath } from './return-path.ts';
import { signInAgain, signInOrAsk } from './sign-in-or-ask.ts';

/**
 * GET /sign-in and its ending. `account=another` is for people who are signed in at the new API with another account. After a
 * sign-out in this browser the new API asks who is there, too. A sign-in changes nothing until the person comes back from
 * the new API. So a link may start a sign-in, and the bridge stores nothing of a sign-in before the return.
 */

/** Sends the browser to the new API, which names the account of the person. */
export function startSignIn(parts: SigninPagesDeps): RequestHandler {
  return async (req, res, next) => {
    const returnTo = returnPath(req.query['return_to']);
    const mustAsk = req.query['account'] === 'another' || parts.signedOut.isIn(req);
    const prompt = mustAsk ? 'login' : undefined;
    const keepVerifier = async (verifier: string) => {
      const { state, ...kept } = startSignInRequest(parts.context, { verifier, returnTo });
      parts.signIns.give(req, res, kept);
      return { state, verifier };
    };
    const client = await parts.clientFor({ purpose: 'sign_in', client_id: null });
    await leaveToConsent(parts, { client, prompt, keepVerifier }, [req, res, next]);
  };
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
      const ended = { person, returnTo: returnPath(request.return_to), began: request.created_at };
      return (req, res) => signInOrAsk(parts, { req, res }, ended);
    },
    fail: (request, error) => (_req, res) => {
      const again = signInAgain(returnPath(request.return_to));
      const why = error === 'access_denied' ? 'denied' : 'failed';
      sendPage(res, parts.pages.render('not-signed-in', { title: 'You are not signed in', why, again }));
    },
  };
}
