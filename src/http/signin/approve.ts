import type { Request, RequestHandler, Response } from 'express';
import { isNoPlace } from '../../domain/apps/callback-rule.ts';
import { allowing, denyRequest, startConsent } from '../../domain/authorization/consent.ts';
import { findRegisteredApp } from '../../domain/apps/register-app.ts';
import {
  bindRequest,
  openRequest,
  type UndecidedRequest,
} from '../../domain/authorization/request-authorization.ts';
import { redirectToApp } from '../wire/redirect-to-app.ts';
import { expiredForm, PageError } from '../pages/page-error.ts';
import { sendPage } from '../pages/page-headers.ts';
import { formToken, isFormToken } from './browser-cookie.ts';
import { formTargets, leaveToConsent } from './leave.ts';
import type { SigninPagesDeps } from './parts.ts';
import { scopeLines } from './scope-words.ts';

/**
 * GET and POST /approve/:request: the page on which a person decides. The page names the app and its callback host,
 * before a consent at the new API that may name the bridge alone (docs/decisions/0018). Opening the address changes
 * nothing. The form works only in this browser, and the first decision counts. A second click on "Allow" leads to the
 * consent of the first one, because the browser shows only the answer to its last request.
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

/** The request in the address. Throws for an invented request and for a request that is over. */
async function requestIn(parts: SigninPagesDeps, req: Request): Promise<UndecidedRequest> {
  const request = await openRequest(parts.context, String(req.params['request']));
  if (!request) throw gone();
  return request;
}

interface RequestDecision {
  request: UndecidedRequest;
  browser: string;
}

async function requireOpen(
  { context }: SigninPagesDeps,
  { request, browser }: RequestDecision,
  { mayBeDecided }: { mayBeDecided: boolean },
): Promise<void> {
  const standing = await bindRequest(context, request, browser);
  if (standing === 'foreign') throw foreign();
  if (standing === 'decided' && !mayBeDecided) throw gone();
}

/**
 * The destination of the callback in words: the host, or the scheme of an app on a device. Undefined where the person
 * gets a code to copy.
 */
function destinationOf(redirectUri: string): string | undefined {
  if (isNoPlace(redirectUri)) return undefined;
  const { protocol, host } = new URL(redirectUri);
  return /^https?:$/.test(protocol) ? host : `the app on this device (${protocol}//…)`;
}

/**
 * The words above the page. An app that no browser can be sent to takes a title with "code" in it for the code, so the
 * title of its page has no name in it that somebody chose.
 */
function approvalTitle(redirectUri: string, appName: string) {
  const heading = `Connect “${appName}” to your account?`;
  if (!isNoPlace(redirectUri)) return { heading, title: heading };
  return { heading, title: 'Connect an app to your account?', isWholeTitle: true };
}

/** Shows the approval page. */
export function showApproval(parts: SigninPagesDeps): RequestHandler {
  return async (req, res) => {
    const { context } = parts;
    const request = await requestIn(parts, req);
    const browser = parts.browsers.readOrGive(req, res, request.id);
    await requireOpen(parts, { request, browser }, { mayBeDecided: false });
    const app = await findRegisteredApp(context, request.clientId);
    if (!app) throw gone();
    const client = await parts.clientFor({ purpose: 'legacy', client_id: request.clientId });
    const page = parts.pages.render('approve', {
      ...approvalTitle(request.redirectUri, app.name),
      destination: destinationOf(request.redirectUri),
      rights: scopeLines(client.scopes),
      isOwn: client.isOwn,
      formToken: formToken(context.vault.session(), browser),
    });
    sendPage(res, page, {
      formTargets: formTargets(client.server.authorizationUrl, request.redirectUri),
    });
  };
}

/**
 * Where a denial ends that no browser can take to the app. Programs that show the pages in a window of their own close
 * it at an address with "access_denied" in it.
 */
export const DENIED_PATH = '/approve/access_denied';

/** Says why an app was not connected. Anybody may open the page: it knows of no request. */
export const showDenied: RequestHandler = () => {
  throw new PageError(200, 'Not connected', {
    reason: 'The app was not allowed to use your account.',
    next: 'To connect it after all, start again from the app.',
  });
};

/** Leads to the page of a denial. */
export const leaveDenied = (res: Response, { publicUrl }: { publicUrl: string }): void =>
  res.redirect(303, publicUrl + DENIED_PATH);

async function deny(parts: SigninPagesDeps, res: Response, decided: RequestDecision) {
  const { request } = decided;
  if (!(await denyRequest(parts.context, decided))) throw gone();
  if (isNoPlace(request.redirectUri)) return leaveDenied(res, parts.context.settings);
  redirectToApp(res, request.redirectUri, {
    error: 'access_denied',
    rawState: request.rawState,
  });
}

async function allow(parts: SigninPagesDeps, decided: RequestDecision, exchange: Parameters<RequestHandler>) {
  const { context } = parts;
  // The app may have been retired while the page was open.
  if (!(await findRegisteredApp(context, decided.request.clientId))) throw gone();
  const client = await parts.clientFor({ purpose: 'legacy', client_id: decided.request.clientId });
  const keepVerifier = async (verifier: string) => {
    const started = await startConsent(context, allowing(context, decided), { verifier, client });
    if (!started) throw gone();
    return started;
  };
  await leaveToConsent(parts, { client, prompt: 'consent', keepVerifier }, exchange);
}

/** Takes the decision. A denial goes back to the app; an approval goes on to the consent at the new API. */
export function decideApproval(parts: SigninPagesDeps): RequestHandler {
  return async (req, res, next) => {
    const { decision, _form: field } = (req.body ?? {}) as Record<string, unknown>;
    const request = await requestIn(parts, req);
    const browser = parts.browsers.read(req, request.id);
    if (browser === undefined || !isFormToken(parts.context.vault.session(), browser, field))
      throw expiredForm({ next: START_AGAIN });
    await requireOpen(parts, { request, browser }, { mayBeDecided: decision === 'allow' });
    if (decision === 'deny') return deny(parts, res, { request, browser });
    if (decision === 'allow') return allow(parts, { request, browser }, [req, res, next]);
    throw new PageError(400, 'Nothing was decided', {
      reason: 'Choose to allow or to deny.',
      next: START_AGAIN,
    });
  };
}
