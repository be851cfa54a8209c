import type { Request, RequestHandler, Response } from 'express';
import { type ConsentedPair, consentWait } from '../../../domain/grants/consenting-account.ts';
import {
  type AuthorizationRequest,
  type ClaimedReturn,
  isOurIssuer,
} from '../../../domain/authorization/consent.ts';
import { UnknownClient } from '../../../domain/grants/modern-client.ts';
import { Forbidden, Rejected, Unavailable } from '../../../domain/failures.ts';
import type { OAuthErrorCode } from '../../../shared/refusals/oauth-error.ts';
import { queryParameters } from '../../wire/request-parameters.ts';
import { kindOf } from '../../../shared/log/refusal-log.ts';
import { callingOf } from '../../request-trace.ts';
import { PageError } from '../../pages/page-error.ts';
import { createFailureBrake, type FailureBrake } from '../../pages/brake.ts';
import { type ConsentNotes, createConsentNotes, readableCode } from './consent-notes.ts';
import { ownReturn, unknownState } from './own-return.ts';
import type { SigninPagesDeps } from '../parts.ts';

/**
 * GET /callback and below: the one return from the new API, for every purpose. The order is state (known, unused, this
 * browser), issuer, denial, exchange. So a foreign state is refused before any other step, also in a denial (RFC 6749
 * §4.1.2.1).
 */

/**
 * After this many codes that the new API refused within a minute, the bridge exchanges one code a second for an
 * address.
 */
const REFUSED_CODES = { what: 'refused codes', perMinute: 30 };

/** Answers the browser. */
export type BrowserAnswer = (req: Request, res: Response) => void | Promise<void>;

/** How a return of one purpose ends. Each function is called at most once, for a claimed return. */
export interface ReturnEnding {
  /** Uses the token pair. Throws one of the upstream failures; then `fail` answers. */
  finish(request: AuthorizationRequest, consented: ConsentedPair): Promise<BrowserAnswer>;
  fail(request: AuthorizationRequest, error: OAuthErrorCode): BrowserAnswer;
}

type ReturnEndings = Record<AuthorizationRequest['purpose'], ReturnEnding>;

/** The error code that the app gets for an upstream failure (OAuth 2.0 draft 20 §4.1.2.1). */
function errorForApp(upstreamError: string): OAuthErrorCode {
  if (upstreamError === 'access_denied' || upstreamError === 'temporarily_unavailable') return upstreamError;
  return 'server_error';
}

/** Failures that waiting does not mend. A new consent, by the present client of the app, may. */
const FINAL = [Rejected, Forbidden, UnknownClient];

function errorOfFailure(error: unknown): OAuthErrorCode {
  return FINAL.some((kind) => error instanceof kind) ? 'server_error' : 'temporarily_unavailable';
}

/** A claimed return, and everything that its ending needs. */
interface Completion {
  claimed: ClaimedReturn;
  ending: ReturnEnding;
  exchanged: Parameters<RequestHandler>;
  codes: FailureBrake;
  notes: ConsentNotes;
}

/** The return, for the notes of what became of it. */
const returnedOf = ({ claimed: { request }, exchanged: [req, res] }: Completion) => ({ request, req, res });

/** The refusal of a claimed return that our server did not send so. The browser hears what a stray hears. */
function refused(completion: Completion, detail: string): PageError {
  completion.notes.failed(returnedOf(completion), { level: 'warn', kind: detail, fields: { detail } });
  return unknownState();
}

async function exchangeAndFinish(parts: SigninPagesDeps, completion: Completion): Promise<BrowserAnswer> {
  const { claimed, ending, exchanged, codes, notes } = completion;
  const { request, verifier } = claimed;
  const { context } = parts;
  const finish = async () => {
    const client = await parts.clientOf(request);
    // A return of one client must not be used for another client (RFC 9700 §4.4.2).
    if (exchanged[0].path !== client.callbackPath)
      throw refused(completion, 'another callback than that of its client');
    const retryAfter = consentWait(context, client.server.clientId);
    // The pause began while the person was at the consent. A code that is not exchanged leaves no grant.
    if (retryAfter > 0) throw new Unavailable('the main API asked to wait', { retryAfter });
    const step = {
      client,
      keepVerifier: () => Promise.reject(new Error('a return starts no consent')),
      takeVerifier: () => verifier,
      calling: callingOf(exchanged[1]),
    };
    const answer = await ending.finish(request, await parts.exchange(step, exchanged));
    notes.ended(request, 'finished');
    return answer;
  };
  try {
    return await context.flights.run(`consent ${request.id}`, finish);
  } catch (error) {
    if (error instanceof PageError) throw error;
    const refusal = error instanceof Rejected ? error.code : undefined;
    if (refusal !== undefined) codes.countFailure(exchanged[0]);
    const fields = { refusal, error };
    notes.failed(returnedOf(completion), { level: 'error', kind: kindOf(error), fields });
    return ending.fail(request, errorOfFailure(error));
  }
}

/** Ends a claimed return with which the new API sends an error. That somebody said no is no failure. */
function answerError(completion: Completion, error: string): BrowserAnswer {
  const { ending, claimed, notes } = completion;
  if (error === 'access_denied') notes.ended(claimed.request, 'declined');
  else {
    const fields = {
      refusal: readableCode(error),
      detail: 'the new API sent the browser back with an error',
    };
    notes.failed(returnedOf(completion), { level: 'warn', kind: 'an error in the address', fields });
  }
  return ending.fail(claimed.request, errorForApp(error));
}

/**
 * Ends a claimed return by the answer of the new API. The answer must come from our server, and hold either a code or
 * an error.
 */
async function answerOf(parts: SigninPagesDeps, completion: Completion): Promise<BrowserAnswer> {
  const { exchanged, ending, claimed, notes } = completion;
  const query = queryParameters(exchanged[0]);
  const [error, iss] = [query.get('error'), query.get('iss')];
  if (query.has('code') === (error !== undefined))
    throw refused(completion, 'neither a code nor an error, or both');
  const isOurs = await isOurIssuer(parts.context, iss).catch((cause: unknown) => cause);
  if (isOurs instanceof Unavailable) {
    const failure = { level: 'error', kind: kindOf(isOurs), fields: { error: isOurs } } as const;
    notes.failed(returnedOf(completion), failure);
    return ending.fail(claimed.request, 'temporarily_unavailable');
  }
  if (isOurs !== true) throw refused(completion, iss === undefined ? 'no iss' : 'the iss of another server');
  return error === undefined ? exchangeAndFinish(parts, completion) : answerError(completion, error);
}

/**
 * The handler of the callbacks that are registered at the new API: the bridge's callback, and one callback for each
 * public client.
 */
export function callback(parts: SigninPagesDeps, endings: ReturnEndings): RequestHandler {
  const codes = createFailureBrake(parts.context, REFUSED_CODES);
  const notes = createConsentNotes(parts);
  return async (req, res, next) => {
    const own = await ownReturn(parts, { req, res });
    const end = async () => {
      const claimed = await own.claim();
      const ending = endings[claimed.request.purpose];
      return answerOf(parts, { claimed, ending, exchanged: [req, res, next], codes, notes });
    };
    // The wait comes before the claim, so that a return that has to wait longer may come again.
    const answer = queryParameters(req).has('code') ? await codes.run({ req, res }, end) : await end();
    await answer?.(req, res);
  };
}
