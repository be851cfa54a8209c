import type { RequestHandler } from 'express';
import { startConsent } from '../../domain/authorization/consent.ts';
import type { ConsentClient } from '../../domain/grants/modern-client.ts';
import { type ReauthorizationRequest, reauthorizing } from '../../domain/authorization/own-requests.ts';
import { newHexId } from '../../shared/ids.ts';
import { expiredForm, PageError } from '../pages/page-error.ts';
import type { SigninParts } from './parts.ts';

/**
 * Where a form's answer may lead beyond this site. Chromium checks the whole chain of redirects, and the modern side may
 * send the browser to a sign-in on an origin of its own, so schemes are named and not origins (CSP form-action).
 */
export function formTargets(...uris: string[]): string {
  const schemes = uris.map((uri) => new URL(uri).protocol);
  return ["'self'", 'https:', ...new Set(schemes.filter((scheme) => scheme !== 'https:'))].join(' ');
}

type Exchange = Parameters<RequestHandler>;

interface Departure {
  client: ConsentClient;
  /** Keeps what the return needs, and answers the upstream `state`. */
  keepVerifier: (verifier: string) => Promise<string>;
}

/** Sends the browser to the modern side; whatever came with the request is none of the library's. */
export async function leaveTo(parts: SigninParts, leaving: Departure, exchange: Exchange): Promise<void> {
  const [req] = exchange;
  // The library takes a `code` or `error` of the incoming request for a return.
  req.body = {};
  Object.defineProperty(req, 'query', { value: {} });
  await parts.leave({ ...leaving, takeVerifier: () => undefined })(...exchange);
}

/** Sends the browser from a form of ours to the modern side; the request is bound to it and comes back to /callback. */
export async function leaveFor(
  parts: SigninParts,
  asked: ReauthorizationRequest,
  exchange: Exchange,
): Promise<void> {
  const { context } = parts;
  const [req, res] = exchange;
  const id = newHexId();
  const browser = parts.browsers.readOrGive(req, res, id);
  const keepVerifier = async (verifier: string) => {
    const state = await startConsent(
      context,
      { request: reauthorizing(context, id, asked), browser },
      verifier,
    );
    if (state === undefined) throw expiredForm();
    return state;
  };
  const client = await parts.clientFor({ purpose: 'reauthorization', client_id: asked.clientId });
  await leaveTo(parts, { client, keepVerifier }, exchange);
}

/** A restored copy could not finish a consent, so it sends nobody to one. */
export function refuseOnCopy({ instance }: SigninParts['context']): RequestHandler {
  return (_req, _res, next) => {
    if (!instance.isCopy()) return next();
    throw new PageError(503, 'Nothing can be connected here', {
      reason: 'This is a restored copy of the service, which does not talk to the account pages.',
      next: 'Try again later, or ask the operator of this page.',
    });
  };
}
