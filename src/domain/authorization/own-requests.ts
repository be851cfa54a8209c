import { AUTHORIZATION_REQUEST_LIFETIME } from '../../shared/lifetimes.ts';
import type { PersonDecision } from './consent.ts';
import type { AuthorizationDeps } from './deps.ts';

/** A request for a consent that a form on a page of the bridge makes, for the tokens of one app and account. */
export interface ReauthorizationRequest {
  clientId: string;
  accountId: string;
  /** What the old API tells of a token that was pasted, as JSON. */
  evidence?: string;
  /** The ids of the mappings that the page listed and the person chose. */
  listed?: readonly string[];
  /**
   * For a request that began signed out: the page on which it began. Its consent proves the account too, so its return
   * opens a session (docs/decisions/0031).
   */
  signsInFrom?: string;
}

/** The row of a request that a page of the bridge makes. Sending the form is the decision. */
export function reauthorizing(
  { clock }: AuthorizationDeps,
  id: string,
  { clientId, accountId, evidence, listed = [], signsInFrom }: ReauthorizationRequest,
): PersonDecision['request'] {
  const now = clock.now();
  return {
    id,
    purpose: 'reauthorization',
    client_id: clientId,
    account_id: accountId,
    evidence: evidence ?? null,
    listed_tokens: listed.length === 0 ? null : JSON.stringify(listed),
    return_to: signsInFrom ?? null,
    redirect_uri_given: 0,
    created_at: now,
    expires_at: now + AUTHORIZATION_REQUEST_LIFETIME,
  };
}
