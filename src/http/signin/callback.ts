import type { Request, RequestHandler, Response } from 'express';
import { OUT_OF_BAND } from '../../domain/callback-rule.ts';
import { completeAuthorization } from '../../domain/complete-authorization.ts';
import { isOurIssuer, takeReturn } from '../../domain/consent.ts';
import { Forbidden, Rejected, Unavailable } from '../../domain/failures.ts';
import { type AuthorizationRequest, rawStateOf } from '../../domain/request-authorization.ts';
import type { OAuthErrorCode } from '../../shared/oauth-error.ts';
import { redirectToApp } from '../legacy/redirect-to-app.ts';
import { type Parameters as QueryParameters, queryParameters } from '../legacy/request-parameters.ts';
import { PageError } from '../page-error.ts';
import { sendPage } from '../page-headers.ts';
import type { SigninParts } from './parts.ts';

/**
 * GET /callback: the return from the modern consent. In order: state (known, unused, this browser), issuer, denial,
 * exchange; so that a foreign state is refused before anything else, denials included (specification 5.4).
 */

const SINGLE = ['state', 'code', 'error', 'iss'];

const unknownState = () =>
  new PageError(403, 'This sign-in cannot be finished', {
    reason: 'It was not started in this browser, or it was finished already.',
    next: 'Go back to the app and start again from there.',
  });

async function claimedReturn(parts: SigninParts, req: Request, query: QueryParameters) {
  const state = query.get('state');
  const browsers = parts.browsers.all(req);
  if (query.repeated(SINGLE).length > 0 || state === undefined || browsers.length === 0) throw unknownState();
  const returned = await takeReturn(parts.context, state, browsers);
  if (!returned) throw unknownState();
  return returned;
}

/** What the app is told of a failure upstream (draft 20 section 4.1.2.1). */
function errorForApp(upstreamError: string): OAuthErrorCode {
  if (upstreamError === 'access_denied' || upstreamError === 'temporarily_unavailable') return upstreamError;
  return 'server_error';
}

function errorOfFailure(error: unknown): OAuthErrorCode {
  return error instanceof Rejected || error instanceof Forbidden ? 'server_error' : 'temporarily_unavailable';
}

type Outcome = { code: string } | { error: OAuthErrorCode };

interface Answered {
  request: AuthorizationRequest;
  outcome: Outcome;
}

function answerApp({ context, pages }: SigninParts, res: Response, { request, outcome }: Answered): void {
  if (request.redirect_uri !== OUT_OF_BAND) {
    return redirectToApp(res, request.redirect_uri, {
      ...outcome,
      rawState: rawStateOf(context, request),
    });
  }
  if ('error' in outcome) {
    const isPassing = outcome.error === 'temporarily_unavailable';
    throw new PageError(200, 'Not connected', {
      reason: isPassing
        ? 'The modern side did not answer or asked to wait, so the app was not connected.'
        : 'The app was not connected.',
      next: `${isPassing ? 'Wait a little, then start' : 'Start'} again from the app.`,
    });
  }
  const page = pages.render('code', { title: 'Your code', code: outcome.code });
  sendPage(res, page);
}

async function exchangeAndComplete(
  parts: SigninParts,
  returned: { request: AuthorizationRequest; verifier: string },
  exchanged: Parameters<RequestHandler>,
): Promise<Outcome> {
  const step = {
    keepVerifier: () => Promise.reject(new Error('a return starts no consent')),
    takeVerifier: () => returned.verifier,
  };
  const { context } = parts;
  const finish = async () => {
    const consented = await parts.exchange(step, exchanged);
    return completeAuthorization(context, returned.request, consented);
  };
  try {
    return { code: await context.flights.run(`consent ${returned.request.id}`, finish) };
  } catch (error) {
    context.logger.error('a consent could not be finished', { requestId: returned.request.id, error });
    return { error: errorOfFailure(error) };
  }
}

/** What the modern side answered, once the return is claimed: of our server, and either a code or an error. */
async function outcomeOf(
  parts: SigninParts,
  returned: { request: AuthorizationRequest; verifier: string },
  exchanged: Parameters<RequestHandler>,
): Promise<Outcome> {
  const query = queryParameters(exchanged[0]);
  const error = query.get('error');
  if (query.has('code') === (error !== undefined)) throw unknownState();
  const isOurs = await isOurIssuer(parts.context, query.get('iss')).catch((cause: unknown) => cause);
  if (isOurs instanceof Unavailable) return { error: 'temporarily_unavailable' };
  if (isOurs !== true) throw unknownState();
  return error === undefined
    ? exchangeAndComplete(parts, returned, exchanged)
    : { error: errorForApp(error) };
}

/** The handler of the one callback that is registered at the modern side. */
export function callback(parts: SigninParts): RequestHandler {
  return async (req, res, next) => {
    const returned = await claimedReturn(parts, req, queryParameters(req));
    parts.browsers.remove(res, returned.request.id);
    const outcome = await outcomeOf(parts, returned, [req, res, next]);
    answerApp(parts, res, { request: returned.request, outcome });
  };
}
