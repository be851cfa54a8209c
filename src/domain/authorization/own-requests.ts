import { AUTHORIZATION_REQUEST_LIFETIME } from '../../shared/lifetimes.ts';
import type { PersonDecision } from './consent.ts';
import type { Context } from '../context.ts';

/** What a form of a page of ours sends a browser to the modern side for: the tokens of one app and account. */
export interface ReauthorizationRequest {
  clientId: string;
  accountId: string;
  /** What the old backend says of a token that was pasted, as JSON. */
  evidence?: string;
  /** The ids of the mappings that the page named and the person chose. */
  listed?: readonly string[];
}

/** The row of a request of a page of ours; the form that was sent is its decision. */
export function reauthorizing(
  { clock }: Context,
  id: string,
  { clientId, accountId, evidence, listed = [] }: ReauthorizationRequest,
): PersonDecision['request'] {
  const now = clock.now();
  return {
    id,
    purpose: 'reauthorization',
    client_id: clientId,
    account_id: accountId,
    evidence: evidence ?? null,
    listed_tokens: listed.length === 0 ? null : JSON.stringify(listed),
    redirect_uri_given: 0,
    created_at: now,
    expires_at: now + AUTHORIZATION_REQUEST_LIFETIME,
  };
}
