import type { Request, RequestHandler, Response } from 'express';
import { claimSignIn, openSignIn, signInId } from '../../domain/authorization/sign-in-request.ts';
import type { Consented } from '../../domain/consenting-account.ts';
import { type AuthorizationRequest, isOurIssuer, takeReturn } from '../../domain/consent.ts';
import { Forbidden, Rejected, Unavailable } from '../../domain/failures.ts';
import type { OAuthErrorCode } from '../../shared/oauth-error.ts';
import { queryParameters } from '../legacy/request-parameters.ts';
import { kindOf } from '../../shared/refusal-log.ts';
import { PageError } from '../page-error.ts';
import { countFailure, countRequest, waitForFailures } from '../wire/brake.ts';
import type { SigninParts } from './parts.ts';

/**
 * GET /callback and below: the one return from the modern side, whatever the browser went there for. In order: state (known,
 * unused, this browser), issuer, denial, exchange; so that a foreign state is refused before anything else, denials
 * included (specification 5.4).
 */

/** Returns that nothing in their browser belongs to. */
const STRAY_RETURNS = { what: 'stray returns', perMinute: 300 };

/** Sign-ins that come back to the browser that began them. Each asks the modern side something, and anybody can begin one. */
const SIGN_INS_BACK = { what: 'sign-ins that return', perMinute: 300 };

/** After so many codes that the modern side refused, the returns of an address take longer. Its neighbours still come in. */
const REFUSED_CODES = { what: 'refused codes', perMinute: 30 };

const SINGLE = ['state', 'code', 'error', 'iss'];

const unknownState = () =>
  new PageError(403, 'This sign-in cannot be finished', {
    reason: 'It was not started in this browser, or it was finished already.',
    next: 'Go back to the app and start again from there.',
  });

/** Answers the browser. */
export type Answer = (req: Request, res: Response) => void | Promise<void>;

/** How a return of one purpose ends. Both are called at most once, and for a return that was claimed. */
export interface Ending {
  /** Works with the pair. Throws one of the upstream failures; then `fail` answers. */
  finish(request: AuthorizationRequest, consented: Consented): Promise<Answer>;
  fail(request: AuthorizationRequest, error: OAuthErrorCode): Answer;
}

type Endings = Record<AuthorizationRequest['purpose'], Ending>;

type Returned = NonNullable<Awaited<ReturnType<typeof takeReturn>>>;

/**
 * A sign-in that returns, by the cookie that it left with. One above the limit is not claimed, so that it may come again.
 * @throws {PageError} 429
 */
async function returnedSignIn(
  { context, signIns }: SigninParts,
  { req, res }: { req: Request; res: Response },
  state: string,
): Promise<Returned | undefined> {
  const sealed = signIns.read(req, signInId(state));
  const signIn = sealed === undefined ? undefined : await openSignIn(context, state, sealed);
  if (!signIn) return undefined;
  await countRequest(context, SIGN_INS_BACK, req);
  signIns.remove(res, signIn.id);
  return claimSignIn(context, signIn);
}

/** A request that was decided in this browser and returns. */
async function returnedDecision(
  parts: SigninParts,
  { req, res }: { req: Request; res: Response },
  state: string,
): Promise<Returned | undefined> {
  const browsers = parts.browsers.all(req);
  if (browsers.length === 0) return undefined;
  const returned = await takeReturn(parts.context, state, browsers);
  if (returned) parts.browsers.remove(res, returned.request.id);
  return returned;
}

async function ownReturn(parts: SigninParts, req: Request, res: Response): Promise<Returned | undefined> {
  const query = queryParameters(req);
  const state = query.get('state');
  if (query.repeated(SINGLE).length > 0 || state === undefined) return undefined;
  const exchange = { req, res };
  return (await returnedSignIn(parts, exchange, state)) ?? returnedDecision(parts, exchange, state);
}

/** Strays alone are counted as such: however many come, those that belong to their browser are served. */
async function claimedReturn(parts: SigninParts, req: Request, res: Response): Promise<Returned> {
  const returned = await ownReturn(parts, req, res);
  if (returned) return returned;
  await countRequest(parts.context, STRAY_RETURNS, req);
  throw unknownState();
}

/** What the app is told of a failure upstream (draft 20 section 4.1.2.1). */
function errorForApp(upstreamError: string): OAuthErrorCode {
  if (upstreamError === 'access_denied' || upstreamError === 'temporarily_unavailable') return upstreamError;
  return 'server_error';
}

function errorOfFailure(error: unknown): OAuthErrorCode {
  return error instanceof Rejected || error instanceof Forbidden ? 'server_error' : 'temporarily_unavailable';
}

interface Finishing {
  returned: Returned;
  ending: Ending;
  exchanged: Parameters<RequestHandler>;
}

async function exchangeAndFinish(
  parts: SigninParts,
  { returned, ending, exchanged }: Finishing,
): Promise<Answer> {
  const { request, verifier } = returned;
  const { context } = parts;
  const client = await parts.clientFor(request);
  // What another client's return brings is none of this one's (RFC 9700 section 4.4.2).
  if (exchanged[0].path !== client.callbackPath) throw unknownState();
  const step = {
    client,
    keepVerifier: () => Promise.reject(new Error('a return starts no consent')),
    takeVerifier: () => verifier,
  };
  await waitForFailures(context, REFUSED_CODES, exchanged[0]);
  const finish = async () => ending.finish(request, await parts.exchange(step, exchanged));
  try {
    return await context.flights.run(`consent ${request.id}`, finish);
  } catch (error) {
    if (error instanceof PageError) throw error;
    if (error instanceof Rejected) countFailure(context, REFUSED_CODES, exchanged[0]);
    const message = 'a consent could not be finished';
    const fields = { requestId: request.id, error };
    parts.noteFailure({
      level: 'error',
      message,
      address: exchanged[0].ip ?? '',
      kind: kindOf(error),
      fields,
    });
    return ending.fail(request, errorOfFailure(error));
  }
}

/** What the modern side answered, once the return is claimed: of our server, and either a code or an error. */
async function answerOf(parts: SigninParts, finishing: Finishing): Promise<Answer> {
  const { exchanged, ending, returned } = finishing;
  const query = queryParameters(exchanged[0]);
  const error = query.get('error');
  if (query.has('code') === (error !== undefined)) throw unknownState();
  const isOurs = await isOurIssuer(parts.context, query.get('iss')).catch((cause: unknown) => cause);
  if (isOurs instanceof Unavailable) return ending.fail(returned.request, 'temporarily_unavailable');
  if (isOurs !== true) throw unknownState();
  return error === undefined
    ? exchangeAndFinish(parts, finishing)
    : ending.fail(returned.request, errorForApp(error));
}

/** The handler of the callbacks that are registered at the modern side: the bridge's, and one for each public client. */
export function callback(parts: SigninParts, endings: Endings): RequestHandler {
  return async (req, res, next) => {
    const returned = await claimedReturn(parts, req, res);
    const ending = endings[returned.request.purpose];
    const answer = await answerOf(parts, { returned, ending, exchanged: [req, res, next] });
    await answer(req, res);
  };
}
