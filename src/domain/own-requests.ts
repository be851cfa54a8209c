import { AUTHORIZATION_REQUEST_LIFETIME } from '../shared/lifetimes.ts';
import { insertRequest } from '../store/authorization-requests.ts';
import type { AuthorizationRequest, NewAuthorizationRequest } from '../store/tables.ts';
import type { Context } from './context.ts';

/** What a page of ours sends a browser to the modern side for; it is bound to that browser from the start. */
export type OwnRequest =
  | { purpose: 'sign_in'; id: string; browser: string; returnTo: string }
  | {
      purpose: 'reauthorization';
      id: string;
      browser: string;
      clientId: string;
      accountId: string;
      /** What the old backend says of a token that was pasted, as JSON. */
      evidence?: string;
    };

function detailsOf(request: OwnRequest): Partial<NewAuthorizationRequest> {
  if (request.purpose === 'sign_in') return { return_to: request.returnTo };
  const { clientId, accountId, evidence } = request;
  return { client_id: clientId, account_id: accountId, evidence: evidence ?? null };
}

/** Keeps a new request of a page of ours; answers what decides about the client that it goes through. */
export async function keepOwnRequest(
  context: Context,
  request: OwnRequest,
): Promise<Pick<AuthorizationRequest, 'id' | 'purpose' | 'client_id'>> {
  const { id, purpose, browser } = request;
  const now = context.clock.now();
  await insertRequest(context.store.durable, {
    ...detailsOf(request),
    id,
    purpose,
    redirect_uri_given: 0,
    phase: 'new',
    browser_digest: context.vault.digest(browser),
    created_at: now,
    expires_at: now + AUTHORIZATION_REQUEST_LIFETIME,
  });
  return { id, purpose, client_id: request.purpose === 'sign_in' ? null : request.clientId };
}
