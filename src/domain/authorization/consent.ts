import { sha256Of } from '../../shared/secrets.ts';
import {
  awaitsReturn,
  claimReturn,
  findLeft,
  insertDecision,
  type ReturnDigests,
} from '../../store/authorization/authorization-requests.ts';
import { releaseRequest } from '../../store/authorization/claimed-requests.ts';
import type { AuthorizationRequest, NewAuthorizationRequest } from '../../store/tables/tables.ts';
import type { AuthorizationDeps } from './deps.ts';
import { type ConsentClient, type LeavingClient, leavingBy } from '../grants/modern-client.ts';

export { isLegacy } from '../../store/authorization/authorization-requests.ts';
export type { AuthorizationRequest } from '../../store/tables/tables.ts';
import { statePlace, verifierPlace } from '../keys/sealing-context.ts';
import type { UndecidedRequest } from './request-authorization.ts';
import { underAllKeys } from '../keys/retry-after-key-rotation.ts';

/**
 * The consent at the new API to which an authorization request leads. The request gets its row when a person decides,
 * by an insert that succeeds once. The row holds `state` and verifier: two tabs do not disturb each other, and any
 * process can take the browser back. Each step is claimed once.
 */

/** A request that a person decides on, as its row will be, and the browser of that person. */
export interface PersonDecision {
  request: Omit<NewAuthorizationRequest, 'phase' | 'browser_digest'>;
  browser: string;
}

/** The row of a request that an old app made. */
function rowOf(request: UndecidedRequest): PersonDecision['request'] {
  return {
    id: request.id,
    purpose: 'legacy',
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    redirect_uri_given: request.redirectUriGiven ? 1 : 0,
    created_at: request.createdAt,
    expires_at: request.expiresAt,
  };
}

/** Stores the decision, once. After the decision, the browser that opened the page need not be known any more. */
async function decide(context: AuthorizationDeps, row: NewAuthorizationRequest): Promise<boolean> {
  const isFirst = await insertDecision(context.store.durable, row);
  if (isFirst && row.purpose === 'legacy')
    await releaseRequest(context.store, row.id).catch((error: unknown) =>
      context.logger.debug('the claim of a decided request was kept', { error }),
    );
  return isFirst;
}

/** The person said no. False when the request was decided before. */
export async function denyRequest(
  context: AuthorizationDeps,
  { request, browser }: { request: UndecidedRequest; browser: string },
): Promise<boolean> {
  const browserDigest = context.vault.digest(browser);
  return decide(context, { ...rowOf(request), browser_digest: browserDigest, phase: 'denied' });
}

/** A request of an old app with its `state`, to which a person says yes. */
export function allowing(
  { vault }: AuthorizationDeps,
  { request, browser }: { request: UndecidedRequest; browser: string },
): PersonDecision {
  const { id, rawState } = request;
  const state = rawState === undefined ? null : vault.seal(statePlace(id), rawState);
  return { request: { ...rowOf(request), state_sealed: state }, browser };
}

/** A consent as it begins: the `state` for the new API, and the PKCE verifier. */
export interface StartedConsent {
  state: string;
  verifier: string;
}

/**
 * The `state` follows from the verifier, so that a second click leads to the same consent as the first one. A `state`
 * does not tell its verifier.
 */
const startedWith = (verifier: string): StartedConsent => ({
  state: sha256Of(`state|${verifier}`).toString('base64url'),
  verifier,
});

/**
 * The consent that an earlier click of this browser began, while the browser has not come back. Undefined where another
 * client would ask for the consent now: the code of its consent would be exchanged by the first client.
 */
async function startedBefore(
  context: AuthorizationDeps,
  { request: { id }, browser }: PersonDecision,
  client: ConsentClient,
): Promise<StartedConsent | undefined> {
  const { store, vault, clock } = context;
  const find = () =>
    findLeft(store.durable, { id, browserDigests: vault.digests(browser), now: clock.now() });
  const left = await underAllKeys(context, find);
  if (!left || left.verifier_sealed === null) return undefined;
  const now = leavingBy(client);
  if (Object.entries(now).some(([name, value]) => left[name as keyof LeavingClient] !== value))
    return undefined;
  const started = startedWith(vault.open(verifierPlace(id), left.verifier_sealed));
  // An earlier version drew the `state` by lot, and only its digest was kept.
  return vault.digests(started.state).includes(left.upstream_state_digest ?? '') ? started : undefined;
}

/**
 * The person said yes. Stores the PKCE verifier and the client of the consent. A browser that says yes again, as by a
 * double click, gets the same consent until it comes back. Undefined when the request was decided otherwise.
 */
export async function startConsent(
  context: AuthorizationDeps,
  decision: PersonDecision,
  leaving: { verifier: string; client: ConsentClient },
): Promise<StartedConsent | undefined> {
  const { request, browser } = decision;
  const started = startedWith(leaving.verifier);
  const isFirst = await decide(context, {
    ...request,
    ...leavingBy(leaving.client),
    phase: 'consenting',
    browser_digest: context.vault.digest(browser),
    upstream_state_digest: context.vault.digest(started.state),
    verifier_sealed: context.vault.seal(verifierPlace(request.id), started.verifier),
  });
  return isFirst ? started : startedBefore(context, decision, leaving.client);
}

/** Whether a request says through which client its browser left. One of an earlier version does not, nor does a sign-in. */
export function hasLeft(
  request: AuthorizationRequest,
): request is AuthorizationRequest & LeavingClient & { client_id: string } {
  const { client_id: app, modern_client_id: id, consent_scopes: scopes, callback_path: path } = request;
  return [app, id, scopes, path].every((value) => value !== null);
}

/** What a browser brings back from the new API: the `state`, and the values of the browser's cookies. */
export interface BrowserReturn {
  state: string;
  browsers: readonly string[];
}

/** A decided request that came back from the new API, with its PKCE verifier. */
export interface ClaimedReturn {
  request: AuthorizationRequest;
  verifier: string;
}

const digestsOf = (
  { vault, clock }: AuthorizationDeps,
  { state, browsers }: BrowserReturn,
): ReturnDigests => ({
  stateDigests: vault.digests(state),
  browserDigests: browsers.flatMap((browser) => vault.digests(browser)),
  now: clock.now(),
});

/**
 * Whether a request left with this `state` from this browser and has not come back. `mayLookForKeys`: whether a missing
 * request may be looked for under keys that this process does not know yet.
 */
export async function isAwaited(
  context: AuthorizationDeps,
  brought: BrowserReturn,
  { mayLookForKeys }: { mayLookForKeys: boolean },
): Promise<boolean> {
  const find = async () =>
    (await awaitsReturn(context.store.durable, digestsOf(context, brought))) || undefined;
  return (mayLookForKeys ? await underAllKeys(context, find) : await find()) ?? false;
}

/** Takes the browser back: once, with the `state` that left, and in the browser that left. */
export async function takeReturn(
  context: AuthorizationDeps,
  brought: BrowserReturn,
): Promise<ClaimedReturn | undefined> {
  const request = await claimReturn(context.store.durable, digestsOf(context, brought));
  if (!request || request.verifier_sealed === null) return undefined;
  return { request, verifier: context.vault.open(verifierPlace(request.id), request.verifier_sealed) };
}

/**
 * RFC 9207: an `iss` must be the server's own issuer. Only where the server sends no `iss` may `iss` be missing. While
 * the server's metadata cannot be read, nothing is accepted.
 * @throws {Unavailable}
 */
export async function isOurIssuer(context: AuthorizationDeps, iss: string | undefined): Promise<boolean> {
  const { issuer, sendsIssuer } = await context.server.metadata();
  return iss === undefined ? !sendsIssuer : iss === issuer;
}
