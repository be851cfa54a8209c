import { newHexId } from '../shared/ids.ts';
import { AUTHORIZATION_REQUEST_LIFETIME } from '../shared/lifetimes.ts';
import { bindBrowser, findLegacyRequest, insertRequest } from '../store/authorization-requests.ts';
import type { AuthorizationRequest, LegacyRequest } from '../store/tables.ts';
import type { Context } from './context.ts';
import { statePlace } from './sealed-places.ts';
import { underAllKeys } from './under-all-keys.ts';

export type { LegacyRequest } from '../store/tables.ts';

/** What an old app asked for, checked. */
export interface AuthorizationAsked {
  clientId: string;
  /** One of the app's registered callbacks, as it stands there. */
  redirectUri: string;
  /** Whether the app named it; if so it must name it again at the exchange (draft 20 section 4.1.3). */
  redirectUriGiven: boolean;
  /** The `state` as it stood in the address, percent-encoding included, so that it goes back byte for byte. */
  rawState: string | undefined;
}

/** Keeps a new authorization request; answers its id. */
export async function requestAuthorization(context: Context, asked: AuthorizationAsked): Promise<string> {
  const id = newHexId();
  const now = context.clock.now();
  await insertRequest(context.store.durable, {
    id,
    purpose: 'legacy',
    client_id: asked.clientId,
    redirect_uri: asked.redirectUri,
    redirect_uri_given: asked.redirectUriGiven ? 1 : 0,
    state_sealed: asked.rawState === undefined ? null : context.vault.seal(statePlace(id), asked.rawState),
    phase: 'new',
    created_at: now,
    expires_at: now + AUTHORIZATION_REQUEST_LIFETIME,
  });
  return id;
}

/** The app's raw `state` of a request. */
export function rawStateOf(
  context: Context,
  request: Pick<AuthorizationRequest, 'id' | 'state_sealed'>,
): string | undefined {
  return request.state_sealed === null
    ? undefined
    : context.vault.open(statePlace(request.id), request.state_sealed);
}

/**
 * The request, bound to this browser: the first browser that opens it owns it, another one gets `foreign`.
 * @returns `gone` when unknown or expired
 */
export async function openRequest(
  context: Context,
  id: string,
  browser: string,
): Promise<LegacyRequest | 'gone' | 'foreign'> {
  const { durable } = context.store;
  await bindBrowser(durable, id, context.vault.digest(browser));
  const request = await findLegacyRequest(durable, id, context.clock.now());
  if (!request) return 'gone';
  const ofThisBrowser = async () =>
    context.vault.digests(browser).includes(request.browser_digest ?? '') ? request : undefined;
  return (await underAllKeys(context, ofThisBrowser)) ?? 'foreign';
}
