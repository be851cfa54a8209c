import { newOpaqueValue } from '../../shared/ids.ts';
import { AUTHORIZATION_REQUEST_LIFETIME } from '../../shared/lifetimes.ts';
import { sha256Of } from '../../shared/secrets.ts';
import { claimRequest } from '../../store/authorization/claimed-requests.ts';
import type { AuthorizationRequest } from '../../store/tables/tables.ts';
import type { AuthorizationDeps } from './deps.ts';
import { signInPlace } from '../keys/sealing-context.ts';
import { openTraveller } from './open-traveller.ts';

/**
 * A sign-in on its way to the new API and back. Anybody can begin a sign-in, so the bridge stores nothing of it: the
 * sign-in travels sealed in a cookie of its browser, bound to its `state`.
 */

interface SealedContent {
  verifier: string;
  returnTo: string;
  end: number;
}

const digestOf = (state: string) => sha256Of(state).toString('hex');

/** Names the sign-in of a `state` without revealing the `state`. */
export const signInId = (state: string): string => digestOf(state).slice(0, 24);

/** Begins a sign-in: the `state` for the new API, and the sealed value for the browser's cookie. */
export function startSignInRequest(
  { vault, clock }: AuthorizationDeps,
  { verifier, returnTo }: { verifier: string; returnTo: string },
): { state: string; id: string; sealed: string } {
  const state = newOpaqueValue();
  const travelling: SealedContent = { verifier, returnTo, end: clock.now() + AUTHORIZATION_REQUEST_LIFETIME };
  const sealed = vault.seal(signInPlace(digestOf(state)), JSON.stringify(travelling));
  return { state, id: signInId(state), sealed };
}

/** The sign-in in the form of a request with a row, as the code after a return expects every request. */
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
    modern_client_id: null,
    consent_scopes: null,
    callback_path: null,
  };
}

/** A sign-in that came back to its browser and may be claimed. */
export interface ReturnedSignIn {
  id: string;
  travelled: SealedContent;
}

/**
 * The sign-in of a `state`, from a cookie. Undefined where the cookie belongs to another `state`, or the sign-in has
 * ended.
 */
export async function openSignIn(
  context: AuthorizationDeps,
  state: string,
  sealed: string,
): Promise<ReturnedSignIn | undefined> {
  const opened = await openTraveller(context, signInPlace(digestOf(state)), sealed);
  if (opened === undefined) return undefined;
  const travelled = JSON.parse(opened) as SealedContent;
  return travelled.end > context.clock.now() ? { id: signInId(state), travelled } : undefined;
}

/** Claims a sign-in that came back, once. Undefined for a sign-in that was claimed before. */
export async function claimSignIn(
  { store, clock }: AuthorizationDeps,
  { id, travelled }: ReturnedSignIn,
): Promise<{ request: AuthorizationRequest; verifier: string } | undefined> {
  const claim = { id, browser_digest: null, claimed_at: clock.now(), expires_at: travelled.end };
  if (!(await claimRequest(store, claim))) return undefined;
  return { request: asRequest(id, travelled), verifier: travelled.verifier };
}
