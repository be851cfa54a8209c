import { newOpaqueValue } from '../shared/ids.ts';
import { claimConsent, claimDenial, claimReturn } from '../store/authorization-requests.ts';
import type { AuthorizationRequest } from '../store/tables.ts';
import type { Context } from './context.ts';

export { isLegacy } from '../store/authorization-requests.ts';
export type { AuthorizationRequest } from '../store/tables.ts';
import { verifierPlace } from './sealed-places.ts';
import { underAllKeys } from './under-all-keys.ts';

/**
 * The upstream half of an authorization request. State and verifier live in the request's own row, so that two tabs do
 * not disturb each other and any process can take the browser back. Each step is claimed once.
 */

interface Step {
  id: string;
  browser: string;
}

function claimOf(context: Context, { id, browser }: Step) {
  return { id, browserDigests: context.vault.digests(browser), now: context.clock.now() };
}

/** The person said no; false when the request was decided before. */
export async function denyRequest(context: Context, step: Step): Promise<boolean> {
  return claimDenial(context.store.durable, claimOf(context, step));
}

/** The person said yes: keeps the PKCE verifier and answers the upstream `state`; undefined when decided before. */
export async function startConsent(
  context: Context,
  step: Step,
  verifier: string,
): Promise<string | undefined> {
  const state = newOpaqueValue();
  const claimed = await claimConsent(context.store.durable, claimOf(context, step), {
    stateDigest: context.vault.digest(state),
    verifierSealed: context.vault.seal(verifierPlace(step.id), verifier),
  });
  return claimed ? state : undefined;
}

/** Takes the browser back by the upstream `state`, once and only in the browser that left. */
export async function takeReturn(
  context: Context,
  state: string,
  browsers: readonly string[],
): Promise<{ request: AuthorizationRequest; verifier: string } | undefined> {
  const claim = () =>
    claimReturn(context.store.durable, {
      stateDigests: context.vault.digests(state),
      browserDigests: browsers.flatMap((browser) => context.vault.digests(browser)),
      now: context.clock.now(),
    });
  const request = await underAllKeys(context, claim);
  if (!request || request.verifier_sealed === null) return undefined;
  return { request, verifier: context.vault.open(verifierPlace(request.id), request.verifier_sealed) };
}

/**
 * RFC 9207: an issuer that is sent must be the server's own; where the server sends it, it may not be missing. While the
 * server cannot say, nothing is taken from it.
 * @throws {Unavailable}
 */
export async function isOurIssuer(context: Context, iss: string | undefined): Promise<boolean> {
  const { issuer, sendsIssuer } = await context.server.metadata();
  return iss === undefined ? !sendsIssuer : iss === issuer;
}
