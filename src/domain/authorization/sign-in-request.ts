import { newOpaqueValue } from '../../shared/ids.ts';
import { AUTHORIZATION_REQUEST_LIFETIME } from '../../shared/lifetimes.ts';
import { sha256Of } from '../../shared/secrets.ts';
import { claimRequest } from '../../store/authorization/claimed-requests.ts';
import type { AuthorizationRequest } from '../../store/tables/tables.ts';
import type { Context } from '../context.ts';
import { signInPlace } from '../keys/sealing-context.ts';
import { openTraveller } from './open-traveller.ts';

/**
 * A sign-in on its way to the modern side and back. Anybody can begin one, so nothing of it is kept: it travels sealed in
 * a cookie of the browser that began it, bound to the `state` that it left with.
 */

interface SealedContent {
  verifier: string;
  returnTo: string;
  end: number;
}

const digestOf = (state: string) => sha256Of(state).toString('hex');

/** Names the sign-in of a `state`, and nothing of the `state` itself. */
export const signInId = (state: string): string => digestOf(state).slice(0, 24);

/** A sign-in that leaves: its upstream `state`, and what the browser keeps meanwhile. */
export function startSignInRequest(
  { vault, clock }: Context,
  { verifier, returnTo }: { verifier: string; returnTo: string },
): { state: string; id: string; sealed: string } {
  const state = newOpaqueValue();
  const travelling: SealedContent = { verifier, returnTo, end: clock.now() + AUTHORIZATION_REQUEST_LIFETIME };
  const sealed = vault.seal(signInPlace(digestOf(state)), JSON.stringify(travelling));
  return { state, id: signInId(state), sealed };
}

/** As the endings know the requests that have a row. */
function asRequest(id: string, { returnTo, end }: SealedContent): AuthorizationRequest {
  return {
    id,
    purpose: 'sign_in',
    phase: 'returned',
    return_to: returnTo,
    created_at: end - AUTHORIZATION_REQUEST_LIFETIME,
    expires_at: end,
    client_id: null,
    redirect_uri: null,
    redirect_uri_given: 0,
    state_sealed: null,
    account_id: null,
    evidence: null,
    listed_tokens: null,
    browser_digest: null,
    upstream_state_digest: null,
    verifier_sealed: null,
  };
}

/** A sign-in that came back to its browser and may be claimed. */
export interface ReturnedSignIn {
  id: string;
  travelled: SealedContent;
}

/** What a cookie keeps of the sign-in of a `state`: undefined where it is not this cookie's, or is over. */
export async function openSignIn(
  context: Context,
  state: string,
  sealed: string,
): Promise<ReturnedSignIn | undefined> {
  const opened = await openTraveller(context, signInPlace(digestOf(state)), sealed);
  if (opened === undefined) return undefined;
  const travelled = JSON.parse(opened) as SealedContent;
  return travelled.end > context.clock.now() ? { id: signInId(state), travelled } : undefined;
}

/** Takes a sign-in back, once: undefined for one that has returned before. */
export async function claimSignIn(
  { store, clock }: Context,
  { id, travelled }: ReturnedSignIn,
): Promise<{ request: AuthorizationRequest; verifier: string } | undefined> {
  const claim = { id, browser_digest: null, claimed_at: clock.now(), expires_at: travelled.end };
  if (!(await claimRequest(store, claim))) return undefined;
  return { request: asRequest(id, travelled), verifier: travelled.verifier };
}
