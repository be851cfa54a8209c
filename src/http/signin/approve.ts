import type { Request, RequestHandler, Response } from 'express';
import { OUT_OF_BAND } from '../../domain/callback-rule.ts';
import { denyRequest, startConsent } from '../../domain/consent.ts';
import { findRegisteredApp } from '../../domain/register-app.ts';
import { type LegacyRequest, openRequest, rawStateOf } from '../../domain/request-authorization.ts';
import { redirectToApp } from '../legacy/redirect-to-app.ts';
import { expiredForm, PageError } from '../page-error.ts';
import { sendPage } from '../page-headers.ts';
import { formToken, isFormToken } from './browser-cookie.ts';
import { formTargets } from './leave.ts';
import type { SigninParts } from './parts.ts';
import { scopeWords } from './scope-words.ts';

/**
 * GET and POST /approve/:id: the page on which a person decides, named after the app and its callback host, before the
 * modern consent that may name the bridge alone (design 5, approval). Its address changes nothing; the form is single
 * use and bound to this browser.
 */

const START_AGAIN = 'Go back to the app and start again from there.';

const gone = () =>
  new PageError(404, 'This page has expired', {
    reason: 'The request was decided already or is too old.',
    next: START_AGAIN,
  });

const foreign = () =>
  new PageError(403, 'This page cannot be used here', {
    reason: 'The request was finished already, or it was started in another browser.',
    next: START_AGAIN,
  });

const idOf = (req: Request) => String(req.params['id']);

async function openedRequest(parts: SigninParts, req: Request, browser: string): Promise<LegacyRequest> {
  const request = await openRequest(parts.context, idOf(req), browser);
  if (request === 'gone') throw gone();
  if (request === 'foreign') throw foreign();
  if (request.phase !== 'new') throw gone();
  return request;
}

/** Where the app sends people back to, in words: the host, or the scheme of an app on a device; or a code to copy. */
function destinationOf(redirectUri: string): string | undefined {
  if (redirectUri === OUT_OF_BAND) return undefined;
  const { protocol, host } = new URL(redirectUri);
  return /^https?:$/.test(protocol) ? host : `the app on this device (${protocol}//…)`;
}

/** Shows the page. */
export function showApproval(parts: SigninParts): RequestHandler {
  return async (req, res) => {
    const { context } = parts;
    const browser = parts.browsers.readOrGive(req, res, idOf(req));
    const request = await openedRequest(parts, req, browser);
    const app = await findRegisteredApp(context, request.client_id);
    if (!app) throw gone();
    const client = await parts.clientFor(request);
    const page = parts.pages.render('approve', {
      title: `Connect “${app.name}” to your account?`,
      appName: app.name,
      destination: destinationOf(request.redirect_uri),
      rights: scopeWords(client.scopes),
      isOwn: client.isOwn,
      formToken: formToken(context.vault.session(), browser),
    });
    sendPage(res, page, {
      formTargets: formTargets(client.server.authorizationUrl, request.redirect_uri),
    });
  };
}

async function deny(parts: SigninParts, res: Response, decided: { request: LegacyRequest; browser: string }) {
  const { request, browser } = decided;
  if (!(await denyRequest(parts.context, { id: request.id, browser }))) throw gone();
  if (request.redirect_uri === OUT_OF_BAND) {
    throw new PageError(200, 'Not connected', { reason: 'You said no. Nothing was connected.' });
  }
  redirectToApp(res, request.redirect_uri, {
    error: 'access_denied',
    rawState: rawStateOf(parts.context, request),
  });
}

/** Takes the decision: no goes back to the app, yes goes on to the modern consent. */
export function decideApproval(parts: SigninParts): RequestHandler {
  return async (req, res, next) => {
    const { context } = parts;
    const { decision, _form: field } = (req.body ?? {}) as Record<string, unknown>;
    const browser = parts.browsers.read(req, idOf(req));
    if (browser === undefined || !isFormToken(context.vault.session(), browser, field)) throw expiredForm();
    const request = await openedRequest(parts, req, browser);
    if (decision === 'deny') return deny(parts, res, { request, browser });
    if (decision !== 'allow') {
      throw new PageError(400, 'Nothing was decided', {
        reason: 'Choose to allow or to deny.',
        next: START_AGAIN,
      });
    }
    req.body = {};
    const keepVerifier = async (verifier: string) => {
      const state = await startConsent(context, { id: request.id, browser }, verifier);
      if (state === undefined) throw gone();
      return state;
    };
    const client = await parts.clientFor(request);
    parts.leave({ client, keepVerifier, takeVerifier: () => undefined })(req, res, next);
  };
}
