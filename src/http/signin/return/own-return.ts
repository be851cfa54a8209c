import { claimSignIn, openSignIn, signInId } from '../../../domain/authorization/sign-in-request.ts';
import { type ClaimedReturn, isAwaited, takeReturn } from '../../../domain/authorization/consent.ts';
import { queryParameters } from '../../wire/request-parameters.ts';
import { PageError } from '../../pages/page-error.ts';
import { countPageRequest, type HttpExchange, isUsedUp } from '../../pages/brake.ts';
import type { SigninPagesDeps } from '../parts.ts';

/**
 * Tells returns that belong to their browser from strays. Anybody can send any number of strays, so a stray writes
 * nothing. The limit of strays counts strays alone. A return that belongs to its browser is served, however many strays
 * come.
 */

/** Returns that do not belong to their browser. */
const STRAY_RETURNS = { what: 'stray returns', perMinute: 300 };

/**
 * Sign-ins that come back to the browser that began them. Each sign-in costs a request to the new API, and anybody can
 * begin a sign-in.
 */
const SIGN_INS_BACK = { what: 'sign-ins that return', perMinute: 300 };

const SINGLE = ['state', 'code', 'error', 'iss'];

export const unknownState = () =>
  new PageError(403, 'This sign-in cannot be finished', {
    reason:
      'It was not started in this browser, it was finished already, or it took longer than half an hour.',
    next: 'Go back to the app and start again from there.',
  });

/** A return that belongs to its browser. */
export interface OwnReturn {
  /**
   * Claims the return, once.
   * @throws {PageError} 403 where the return was claimed before; 429 above the limit, and the return may come again
   */
  claim(): Promise<ClaimedReturn>;
}

type ReturnClaim = () => Promise<ClaimedReturn | undefined>;

/**
 * The claim of a sign-in that returns with its cookie. Above the limit the sign-in is not claimed, so that it may come
 * again.
 */
async function ownSignIn(
  { context, signIns }: SigninPagesDeps,
  { req, res }: HttpExchange,
  state: string,
): Promise<ReturnClaim | undefined> {
  const sealed = signIns.read(req, signInId(state));
  const signIn = sealed === undefined ? undefined : await openSignIn(context, state, sealed);
  if (!signIn) return undefined;
  return async () => {
    await countPageRequest(context, SIGN_INS_BACK, req);
    signIns.remove(res, signIn.id);
    return claimSignIn(context, signIn);
  };
}

/**
 * The claim of a request that was decided in this browser. Above the limit of strays the bridge looks once, and does
 * not look for new keys.
 */
async function ownDecision(
  { context, browsers }: SigninPagesDeps,
  { req, res }: HttpExchange,
  state: string,
): Promise<ReturnClaim | undefined> {
  const brought = { state, browsers: browsers.all(req) };
  if (brought.browsers.length === 0) return undefined;
  const mayLookForKeys = !isUsedUp(context, STRAY_RETURNS, req);
  if (!(await isAwaited(context, brought, { mayLookForKeys }))) return undefined;
  return async () => {
    const claimed = await takeReturn(context, brought);
    if (claimed) browsers.remove(res, claimed.request.id);
    return claimed;
  };
}

async function claimOf(parts: SigninPagesDeps, exchange: HttpExchange): Promise<ReturnClaim | undefined> {
  const query = queryParameters(exchange.req);
  const state = query.get('state');
  if (query.repeated(SINGLE).length > 0 || state === undefined) return undefined;
  return (await ownSignIn(parts, exchange, state)) ?? ownDecision(parts, exchange, state);
}

/**
 * The return of a request, if it belongs to this browser.
 * @throws {PageError} 403 for a stray, 429 for a stray above the limit
 */
export async function ownReturn(parts: SigninPagesDeps, exchange: HttpExchange): Promise<OwnReturn> {
  const refuseStray = async () => {
    await countPageRequest(parts.context, STRAY_RETURNS, exchange.req);
    return unknownState();
  };
  const claim = await claimOf(parts, exchange);
  if (!claim) throw await refuseStray();
  return {
    claim: async () => {
      const claimed = await claim();
      if (!claimed) throw await refuseStray();
      return claimed;
    },
  };
}
