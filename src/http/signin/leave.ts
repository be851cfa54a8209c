import type { RequestHandler } from 'express';
import { startConsent, type StartedConsent } from '../../domain/authorization/consent.ts';
import { consentWait } from '../../domain/grants/consenting-account.ts';
import type { ConsentClient } from '../../domain/grants/modern-client.ts';
import { type ReauthorizationRequest, reauthorizing } from '../../domain/authorization/own-requests.ts';
import { newHexId } from '../../shared/ids.ts';
import { MINUTE, SECOND } from '../../shared/lifetimes.ts';
import { expiredForm, PageError } from '../pages/page-error.ts';
import type { ConsentPrompt } from './modern-strategy.ts';
import type { SigninPagesDeps } from './parts.ts';

/**
 * The targets of a form beyond this site (CSP form-action). Chromium checks the whole chain of redirects, and the new
 * API may send the browser to a sign-in on another origin. So schemes are named, not origins.
 */
export function formTargets(...uris: string[]): string {
  const schemes = uris.map((uri) => new URL(uri).protocol);
  return ["'self'", 'https:', ...new Set(schemes.filter((scheme) => scheme !== 'https:'))].join(' ');
}

type HandlerArguments = Parameters<RequestHandler>;

interface ConsentStart {
  client: ConsentClient;
  prompt: ConsentPrompt;
  /** Stores the verifier for the return. Resolves with the consent that the browser leaves for. */
  keepVerifier: (verifier: string) => Promise<StartedConsent>;
}

/** Nobody is sent to a consent that could not be finished. The request stays open: the person may press the button again. */
function refuseInPause({ context }: SigninPagesDeps, { server }: ConsentClient): void {
  const wait = consentWait(context, server.clientId);
  if (wait === 0) return;
  const minutes = Math.ceil(wait / MINUTE);
  throw new PageError(503, 'Not available at the moment', {
    reason: 'The service that holds the accounts takes no more requests from this site for now.',
    next: `Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
    retryAfter: Math.ceil(wait / SECOND),
  });
}

/**
 * Sends the browser to the new API. The library must not see the parameters of the incoming request.
 * @throws {PageError} 503 during a pause of the client
 */
export async function leaveToConsent(
  parts: SigninPagesDeps,
  leaving: ConsentStart,
  exchange: HandlerArguments,
): Promise<void> {
  refuseInPause(parts, leaving.client);
  const [req] = exchange;
  // The library takes a `code` or `error` of the incoming request for a return.
  req.body = {};
  Object.defineProperty(req, 'query', { value: {} });
  await parts.leave({ ...leaving, takeVerifier: () => undefined })(...exchange);
}

/**
 * Sends the browser from a form of the bridge to the new API. The request is bound to the browser, which comes back to
 * /callback. `isOther`: the new API asks who is there, because the person wants another account.
 */
export async function leaveToReauthorize(
  parts: SigninPagesDeps,
  { isOther, ...asked }: ReauthorizationRequest & { isOther: boolean },
  exchange: HandlerArguments,
): Promise<void> {
  const { context } = parts;
  const [req, res] = exchange;
  const id = newHexId();
  const browser = parts.browsers.readOrGive(req, res, id);
  const client = await parts.clientFor({ purpose: 'reauthorization', client_id: asked.clientId });
  const prompt = isOther ? 'login consent' : 'consent';
  const keepVerifier = async (verifier: string) => {
    const started = await startConsent(
      context,
      { request: reauthorizing(context, id, asked), browser },
      { verifier, client },
    );
    if (!started) throw expiredForm();
    return started;
  };
  await leaveToConsent(parts, { client, prompt, keepVerifier }, exchange);
}

/** A copy could not finish a consent, so a copy sends no person to a consent. */
export function refuseOnCopy({ instance }: SigninPagesDeps['context']): RequestHandler {
  return (_req, _res, next) => {
    if (!instance.isCopy()) return next();
    throw new PageError(503, 'Nothing can be connected here', {
      reason: 'This is a restored copy of the service, which does not talk to the account pages.',
      next: 'Try again later, or ask the operator of this page.',
    });
  };
}
