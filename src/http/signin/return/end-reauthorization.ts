import type { Response } from 'express';
import { findRegisteredApp } from '../../../domain/apps/register-app.ts';
import type { AuthorizationRequest } from '../../../domain/authorization/consent.ts';
import { reauthorize } from '../../../domain/authorization/reauthorize.ts';
import type { OAuthErrorCode } from '../../../shared/refusals/oauth-error.ts';
import { sendPage } from '../../pages/page-headers.ts';
import { leaveWith } from '../../pages/flash-notice.ts';
import { formTargets } from '../leave.ts';
import { signInHere } from '../sign-in-here.ts';
import type { BrowserAnswer, ReturnEnding } from './callback.ts';
import type { SigninPagesDeps } from '../parts.ts';
import { useAnother } from './use-another.ts';

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

/** The consent was by another account than that of the request. One click leads to the sign-in with another one. */
function answerOther(parts: SigninPagesDeps, request: AuthorizationRequest, email: string): BrowserAnswer {
  return async (req, res) => {
    const unchanged = await nothingChanged(parts, request);
    const another = await useAnother(parts, { req, res }, request);
    const signIn = `/sign-in?return_to=${encodeURIComponent(unchanged.back)}&account=another`;
    const page = parts.pages.render('another-account', { ...unchanged, email, another, signIn });
    sendPage(res, page, { formTargets: formTargets(parts.context.server.authorizationUrl) });
  };
}

/** Who says no may have seen the question for an account that they did not mean. */
function answerRefused(
  parts: SigninPagesDeps,
  request: AuthorizationRequest,
  error: OAuthErrorCode,
): BrowserAnswer {
  return async (req, res) => {
    const unchanged = await nothingChanged(parts, request);
    const another = error === 'access_denied' ? await useAnother(parts, { req, res }, request) : undefined;
    const page = parts.pages.render('not-connected', { ...unchanged, another, reason: wordsOf(error) });
    sendPage(res, page, { formTargets: formTargets(parts.context.server.authorizationUrl) });
  };
}

/** The ending of purpose `reauthorization`. */
export function endReauthorization(parts: SigninPagesDeps): ReturnEnding {
  const { context, pages } = parts;
  return {
    async finish(request, consented) {
      const result = await reauthorize(context, request, consented);
      if (result.outcome === 'another account') return answerOther(parts, request, result.email);
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
    fail: (request, error) => answerRefused(parts, request, error),
  };
}
