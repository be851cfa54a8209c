import { HEX_ID, newHexId } from '../../shared/ids.ts';
import { AUTHORIZATION_REQUEST_LIFETIME } from '../../shared/lifetimes.ts';
import { sha256Of } from '../../shared/secrets.ts';
import { findUndecided, isDecided } from '../../store/authorization/authorization-requests.ts';
import { claimRequest, findClaimant } from '../../store/authorization/claimed-requests.ts';
import type { AuthorizationRequest } from '../../store/tables/tables.ts';
import { openTraveller } from './open-traveller.ts';
import type { AuthorizationDeps } from './deps.ts';
import { findRegisteredApp } from '../apps/register-app.ts';
import { APPROVAL_ADDRESS, statePlace } from '../keys/sealing-context.ts';
import { underAllKeys } from '../keys/retry-after-key-rotation.ts';

export type { LegacyRequest } from '../../store/tables/tables.ts';

/**
 * A request of an old app until a person has decided. Anybody can make such a request, so the bridge stores nothing:
 * the request travels sealed in the address of its approval page, with the time of its end inside.
 */

/** The parameters of an authorization request, checked. */
export interface AuthorizationParameters {
  clientId: string;
  /** One of the app's registered callbacks, as registered. */
  redirectUri: string;
  /**
   * Whether the app sent the redirect URI. If so, the app must send the redirect URI again at the exchange (OAuth 2.0
   * draft 20 §4.1.3).
   */
  redirectUriGiven: boolean;
  /** The `state` as in the address, percent-encoding included, so that `state` goes back byte for byte. */
  rawState: string | undefined;
}

/** The longest `state` in bytes, as in an address. The sealed address stays far below every limit. */
export const LONGEST_STATE = 2048;

/**
 * No sealed request is longer. A request with the longest `state` is shorter even if each character of `state` is
 * escaped.
 */
const LONGEST_SEALED = 8000;

/** An authorization request without a decision. */
export interface UndecidedRequest extends AuthorizationParameters {
  id: string;
  createdAt: number;
  expiresAt: number;
  /** The browser to which an earlier version of the bridge bound the request. */
  browserDigest: string | null;
}

/** The content to seal. A digest names the callback, because the callback may be long and is one of the app's own. */
interface SealedContent {
  id: string;
  app: string;
  callback: string;
  given: boolean;
  state?: string;
  end: number;
}

const nameOf = (callback: string) => sha256Of(callback).subarray(0, 16).toString('base64url');

/** Seals a new authorization request. Returns the last part of the address of its approval page. */
export function sealRequest({ vault, clock }: AuthorizationDeps, asked: AuthorizationParameters): string {
  const request: SealedContent = {
    id: newHexId(),
    app: asked.clientId,
    callback: nameOf(asked.redirectUri),
    given: asked.redirectUriGiven,
    ...(asked.rawState !== undefined && { state: asked.rawState }),
    end: clock.now() + AUTHORIZATION_REQUEST_LIFETIME,
  };
  return vault.seal(APPROVAL_ADDRESS, JSON.stringify(request));
}

/** The request that travelled; undefined after its end, or when its app no longer has the callback. */
async function withApp(
  context: AuthorizationDeps,
  travelled: SealedContent,
): Promise<UndecidedRequest | undefined> {
  const { id, app: clientId, given: redirectUriGiven, state: rawState, end: expiresAt } = travelled;
  if (expiresAt <= context.clock.now()) return undefined;
  const app = await findRegisteredApp(context, clientId);
  const redirectUri = app?.callbacks.find((callback) => nameOf(callback) === travelled.callback);
  if (redirectUri === undefined) return undefined;
  const createdAt = expiresAt - AUTHORIZATION_REQUEST_LIFETIME;
  const asked = { clientId, redirectUri, redirectUriGiven, rawState };
  return { id, ...asked, createdAt, expiresAt, browserDigest: null };
}

/**
 * A request that an earlier version stored before a decision. Half an hour after the upgrade no such request is left.
 */
async function findKept(context: AuthorizationDeps, id: string): Promise<UndecidedRequest | undefined> {
  const row = await findUndecided(context.store.durable, id, context.clock.now());
  return (
    row && {
      id,
      clientId: row.client_id,
      redirectUri: row.redirect_uri,
      redirectUriGiven: row.redirect_uri_given === 1,
      rawState: rawStateOf(context, row),
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      browserDigest: row.browser_digest,
    }
  );
}

/**
 * The request in the address of an approval page. Undefined when the request was made up, has ended, or its app is
 * gone.
 */
export async function openRequest(
  context: AuthorizationDeps,
  address: string,
): Promise<UndecidedRequest | undefined> {
  if (HEX_ID.test(address)) return findKept(context, address);
  if (address.length > LONGEST_SEALED) return undefined;
  const opened = await openTraveller(context, APPROVAL_ADDRESS, address);
  return opened === undefined ? undefined : withApp(context, JSON.parse(opened) as SealedContent);
}

/** The browser that a request belongs to: the first browser that opens the request. */
async function claimantOf(context: AuthorizationDeps, request: UndecidedRequest, browser: string) {
  const known = await findClaimant(context.store, request.id);
  if (known !== undefined) return known;
  await claimRequest(context.store, {
    id: request.id,
    browser_digest: request.browserDigest ?? context.vault.digest(browser),
    claimed_at: context.clock.now(),
    expires_at: request.expiresAt,
  });
  return findClaimant(context.store, request.id);
}

/** Binds a request to the first browser that opens it. Another browser gets `foreign`. */
export async function bindRequest(
  context: AuthorizationDeps,
  request: UndecidedRequest,
  browser: string,
): Promise<'undecided' | 'decided' | 'foreign'> {
  if (await isDecided(context.store.durable, request.id)) return 'decided';
  const claimant = await claimantOf(context, request, browser);
  const ofThisBrowser = async () =>
    context.vault.digests(browser).includes(claimant ?? '') ? request : undefined;
  return (await underAllKeys(context, ofThisBrowser)) ? 'undecided' : 'foreign';
}

/** The app's raw `state` of a decided request. */
export function rawStateOf(
  context: AuthorizationDeps,
  request: Pick<AuthorizationRequest, 'id' | 'state_sealed'>,
): string | undefined {
  return request.state_sealed === null
    ? undefined
    : context.vault.open(statePlace(request.id), request.state_sealed);
}
