import { isNoPlace } from '../../../domain/apps/callback-rule.ts';
import { completeAuthorization } from '../../../domain/authorization/complete-authorization.ts';
import { type AuthorizationRequest, isLegacy } from '../../../domain/authorization/consent.ts';
import { type LegacyRequest, rawStateOf } from '../../../domain/authorization/request-authorization.ts';
import type { OAuthErrorCode } from '../../../shared/refusals/oauth-error.ts';
import { redirectToApp } from '../../wire/redirect-to-app.ts';
import { PageError } from '../../pages/page-error.ts';
import { sendPage } from '../../pages/page-headers.ts';
import type { BrowserAnswer, ReturnEnding } from './callback.ts';
import { leaveDenied } from '../approve.ts';
import type { SigninPagesDeps } from '../parts.ts';

/** How a consent for an old app ends: with a code or an error at the app's callback, or on a page. */

type Outcome = { code: string } | { error: OAuthErrorCode };

function asLegacy(request: AuthorizationRequest): LegacyRequest {
  if (!isLegacy(request)) throw new Error(`request ${request.id} is of no app`);
  return request;
}

function refusedOnPage(error: OAuthErrorCode): PageError {
  const isPassing = error === 'temporarily_unavailable';
  return new PageError(200, 'Not connected', {
    reason: isPassing
      ? 'The new API did not answer or asked to wait, so the app was not connected.'
      : 'The app was not connected.',
    next: `${isPassing ? 'Wait a little, then start' : 'Start'} again from the app.`,
  });
}

/**
 * The page with the code of an app that no browser can be sent to. Such apps showed the page in a window of their own and read
 * its title: without "Success code=" all of it is the code. A history that keeps the title keeps no more than the page
 * shows: the code lives 30 seconds, works once, and only with the secret of the app.
 */
function codePage(pages: SigninPagesDeps['pages'], code: string): string {
  return pages.render('code', { title: `Success code=${code}`, isWholeTitle: true, code });
}

function answerApp(
  { context, pages }: SigninPagesDeps,
  request: LegacyRequest,
  outcome: Outcome,
): BrowserAnswer {
  return (_req, res) => {
    if (!isNoPlace(request.redirect_uri)) {
      const rawState = rawStateOf(context, request);
      return redirectToApp(res, request.redirect_uri, { ...outcome, rawState });
    }
    if (!('error' in outcome)) return sendPage(res, codePage(pages, outcome.code));
    if (outcome.error === 'access_denied') return leaveDenied(res, context.settings);
    throw refusedOnPage(outcome.error);
  };
}

/** The ending of purpose `legacy`. */
export function returnToApp(parts: SigninPagesDeps): ReturnEnding {
  return {
    async finish(request, consented) {
      const code = await completeAuthorization(parts.context, asLegacy(request), consented);
      return answerApp(parts, asLegacy(request), code === undefined ? { error: 'access_denied' } : { code });
    },
    fail: (request, error) => answerApp(parts, asLegacy(request), { error }),
  };
}
