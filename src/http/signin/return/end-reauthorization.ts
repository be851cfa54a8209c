import type { Request, Response } from 'express';
import { findRegisteredApp } from '../../../domain/apps/register-app.ts';
import type { AuthorizationRequest } from '../../../domain/authorization/consent.ts';
import { reauthorize } from '../../../domain/authorization/reauthorize.ts';
import type { OAuthErrorCode } from '../../../shared/refusals/oauth-error.ts';
import { sendPage } from '../../pages/page-headers.ts';
import { leaveWith } from '../../pages/flash-notice.ts';
import { formTargets } from '../leave.ts';
import { linkForm, linkIdOf } from '../link-form.ts';
import { signInHere } from '../sign-in-here.ts';
import type { BrowserAnswer, ReturnEnding } from './callback.ts';
import type { SigninPagesDeps } from '../parts.ts';

/**
 * How a re-authorization ends: on a page that proves the connection, on the page of the app, or with a page that says why
 * nothing was changed. A request that began signed out also signs its person in, if the consent is by the account of its
 * link (docs/decisions/0031).
 */

type Outcome = Awaited<ReturnType<typeof reauthorize>>;

/** A connection is proven on a page of its own. Anything else stands as a notice on the page of the app. */
function land(context: SigninPagesDeps['context'], res: Response, { outcome, clientId }: Outcome): void {
  const href = `/apps/${clientId}`;
  if (outcome === 'connected') return res.redirect(303, `${href}/connected`);
  const notice = outcome === 'of another app' ? 'of-another-app' : 'nothing-waits-any-more';
  leaveWith(context, res, { href, notice });
}

function wordsOf(error: OAuthErrorCode): string {
  if (error === 'access_denied') return 'You did not allow it on the account page.';
  return error === 'temporarily_unavailable'
    ? 'The account page did not answer or asked to wait. Try again in a minute.'
    : 'The account page refused to connect it.';
}

async function nothingChanged({ context }: SigninPagesDeps, request: AuthorizationRequest) {
  const { client_id: clientId, return_to: link } = request;
  const app = clientId === null ? undefined : await findRegisteredApp(context, clientId);
  return {
    title: 'Nothing was changed',
    appName: app?.name ?? 'the app',
    back: link ?? `/apps/${clientId}`,
    isFromLink: link !== null,
  };
}

type UnchangedPage = Awaited<ReturnType<typeof nothingChanged>>;

/** The consent was by another account than that of the request. One click leads to the sign-in with another one. */
function answerOther(parts: SigninPagesDeps, unchanged: UnchangedPage, email: string): BrowserAnswer {
  return (req: Request, res: Response) => {
    const again = unchanged.isFromLink ? linkForm(parts, { req, res }, linkIdOf(unchanged.back)) : undefined;
    const page = parts.pages.render('another-account', { ...unchanged, email, again });
    sendPage(res, page, { formTargets: formTargets(parts.context.server.authorizationUrl) });
  };
}

/** The ending of purpose `reauthorization`. */
export function endReauthorization(parts: SigninPagesDeps): ReturnEnding {
  const { context, pages } = parts;
  return {
    async finish(request, consented) {
      const result = await reauthorize(context, request, consented);
      if (result.outcome === 'another account')
        return answerOther(parts, await nothingChanged(parts, request), result.email);
      if (result.outcome === 'not proven') {
        const unchanged = await nothingChanged(parts, request);
        return (_req, res) => sendPage(res, pages.render('not-proven', unchanged));
      }
      return async (req, res) => {
        if (result.person)
          await signInHere(parts, { req, res }, { person: result.person, began: request.created_at });
        land(context, res, result);
      };
    },
    fail: (request, error) => async (_req, res) => {
      const data = { ...(await nothingChanged(parts, request)), reason: wordsOf(error) };
      sendPage(res, pages.render('not-connected', data));
    },
  };
}
