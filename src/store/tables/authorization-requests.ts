import type { ColumnType, Generated } from 'kysely';

type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>;

type RequestPhase = 'new' | 'consenting' | 'returned' | 'denied';

/** Why a browser goes to the new API: for an old app, for waiting tokens, or for a sign-in. */
type RequestPurpose = 'legacy' | 'reauthorization' | 'sign_in';

/** A request on which a person has decided (db/SCHEMA.md). */
export interface AuthorizationRequestsTable {
  id: string;
  purpose: Generated<RequestPurpose>;
  /** Null for a sign-in. */
  client_id: Nullable<string>;
  /** The app's callback; null when the browser stays on the bridge's pages. */
  redirect_uri: Nullable<string>;
  redirect_uri_given: number;
  state_sealed: Nullable<string>;
  /** The account that has to consent to a re-authorization. */
  account_id: Nullable<string>;
  /** The old API's answer about a pasted token, whose account the consent has to prove; JSON. */
  evidence: Nullable<string>;
  /** The tokens that the page named before the consent: a JSON array of mapping ids. */
  listed_tokens: Nullable<string>;
  /** The page of the bridge to show after a sign-in. */
  return_to: Nullable<string>;
  phase: RequestPhase;
  browser_digest: Nullable<string>;
  upstream_state_digest: Nullable<string>;
  verifier_sealed: Nullable<string>;
  /** The client through which the browser left for the consent. Null in requests of an earlier version. */
  modern_client_id: Nullable<string>;
  /** The scopes that the consent asks for, separated by spaces. */
  consent_scopes: Nullable<string>;
  /** Where the browser comes back to, below the public address. */
  callback_path: Nullable<string>;
  created_at: number;
  expires_at: number;
}
