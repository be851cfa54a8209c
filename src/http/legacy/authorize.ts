import type { RequestHandler, Response } from 'express';
import type { LegacyDeps } from './deps.ts';
import { isNoPlace } from '../../domain/apps/callback-rule.ts';
import { findRegisteredApp } from '../../domain/apps/register-app.ts';
import {
  type AuthorizationParameters,
  LONGEST_STATE,
  sealRequest,
} from '../../domain/authorization/request-authorization.ts';
import type { OAuthErrorCode } from '../../shared/refusals/oauth-error.ts';
import { PageError } from '../pages/page-error.ts';
import { formatNumber } from '../wording/words.ts';
import { tellDates } from '../wire/added-headers.ts';
import { callbackLocation, redirectToApp } from '../wire/redirect-to-app.ts';
import { type Parameters, queryParameters, rawQuery } from '../wire/request-parameters.ts';

/**
 * GET /oauth2/authorize (OAuth 2.0 draft 20 §4.1.1). Until app and callback are proven, every refusal is a page. After
 * that a refusal goes back to the app, or to the person where nobody has looked at the app.
 */

const IDENTIFYING = ['client_id', 'redirect_uri'] as const;
const OTHERS = ['response_type', 'state', 'scope'] as const;

const REFUSAL_TITLE = 'This app cannot be connected';

function refuse(reason: string): never {
  throw new PageError(400, REFUSAL_TITLE, {
    reason,
    next: 'Go back to the app and try again. If it happens again, tell the people who make the app.',
  });
}

/** The app, and its callback by exact string match (docs/decisions/0013). */
async function provenTarget(context: LegacyDeps, query: Parameters) {
  if (query.repeated(IDENTIFYING).length > 0)
    refuse('The address that led here names the app or its callback twice.');
  const clientId = query.get('client_id');
  const app = clientId === undefined ? undefined : await findRegisteredApp(context, clientId);
  if (!app) refuse('The address that led here names an app that is not registered.');
  const given = query.get('redirect_uri');
  const redirectUri = given ?? (app.callbacks.length === 1 ? app.callbacks[0] : undefined);
  if (redirectUri === undefined || !app.callbacks.includes(redirectUri)) {
    refuse('The callback address is not one that this app has registered.');
  }
  return { app, redirectUri, redirectUriGiven: given !== undefined };
}

/** The fault of a request. The description is fixed and quotes nothing of the request. */
interface RequestFault {
  error: OAuthErrorCode;
  description: string;
}

const invalid = (description: string): RequestFault => ({ error: 'invalid_request', description });

/** The first fault that the app is told, if any. */
function requestFault(query: Parameters, rawState: string | undefined): RequestFault | undefined {
  const [twice] = query.repeated(OTHERS);
  if (twice !== undefined) return invalid(`${twice} stands there more than once.`);
  if (rawState !== undefined && rawState.length > LONGEST_STATE)
    return invalid(`state is longer than ${formatNumber(LONGEST_STATE)} bytes.`);
  const responseType = query.get('response_type');
  if (responseType === undefined) return invalid('response_type is missing.');
  if (responseType === 'code') return undefined;
  return { error: 'unsupported_response_type', description: 'response_type is not code.' };
}

/** `state` as it stood in the address, to be sent back byte for byte. Undefined when absent, empty or repeated. */
function rawStateIn(query: string): string | undefined {
  const values = query.split('&').filter((pair) => /^state=./.test(pair));
  return values.length === 1 ? values[0]?.slice('state='.length) : undefined;
}

/** The fault of a request, in words for the person whom the app has sent here. */
const FAULTS: Partial<Record<OAuthErrorCode, string>> = {
  invalid_request: 'asked for access in a way that cannot be understood',
  unsupported_response_type: 'asked for a kind of answer that is not given here',
};

interface RefusedRequest {
  app: { name: string; self_registered: number };
  redirectUri: string;
  fault: RequestFault;
  rawState: string | undefined;
}

/** A link back to the app, which the person may follow. Empty for an app whose callback no browser can open. */
function wayBack({ redirectUri, fault: { error }, rawState }: RefusedRequest) {
  if (isNoPlace(redirectUri)) return {};
  const { host } = new URL(redirectUri);
  const href = callbackLocation(redirectUri, { error, rawState });
  return {
    next: `Go on to ${host} only if you know this app.`,
    wayOn: { href, label: `Go on to ${host}`, isButton: true },
  };
}

/**
 * Refuses a request. Nobody has looked at the callback of an app that its owner registered. Such an app hears of the
 * refusal only when the person follows the link (RFC 9700 §4.11.2). Other apps get the refusal at once, as from the old
 * API. A browser cannot open a callback that is a URN, so there a page tells the person.
 */
function refuseRequest(res: Response, refused: RefusedRequest): void {
  const { app, redirectUri, fault, rawState } = refused;
  const { error, description } = fault;
  if (app.self_registered === 0 && !isNoPlace(redirectUri))
    return redirectToApp(res, redirectUri, { error, rawState });
  throw new PageError(400, REFUSAL_TITLE, {
    reason: `“${app.name}” ${FAULTS[error] ?? 'could not be served'}. Nothing was connected.`,
    forMakers: `${error}, ${description}`,
    ...wayBack(refused),
  });
}

function startApproval(context: LegacyDeps, res: Response, asked: AuthorizationParameters): void {
  res.statusCode = 302;
  res.setHeader('Location', `${context.settings.publicUrl}/approve/${sealRequest(context, asked)}`);
  res.end();
}

/** The handler of the old authorize address. */
export function authorize(context: LegacyDeps): RequestHandler {
  return async (req, res) => {
    const query = queryParameters(req);
    const { app, redirectUri, redirectUriGiven } = await provenTarget(context, query);
    tellDates(context, res, { clientId: app.client_id });
    const rawState = rawStateIn(rawQuery(req));
    const fault = requestFault(query, rawState);
    if (fault) return refuseRequest(res, { app, redirectUri, fault, rawState });
    startApproval(context, res, { clientId: app.client_id, redirectUri, redirectUriGiven, rawState });
  };
}
