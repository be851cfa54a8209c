import type { ColumnType, Generated } from 'kysely';

type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>;

type RequestPhase = 'new' | 'consenting' | 'returned' | 'denied';

/** Why a browser goes to the modern side: for an old app, for tokens that wait, or to say who is there. */
type RequestPurpose = 'legacy' | 'reauthorization' | 'sign_in';

/** A request on which a person has decided (db/SCHEMA.md). */
export interface AuthorizationRequestsTable {
  id: string;
  purpose: Generated<RequestPurpose>;
  /** Null for a sign-in. */
  client_id: Nullable<string>;
  /** The app's callback; null where the browser stays with us. */
  redirect_uri: Nullable<string>;
  redirect_uri_given: number;
  state_sealed: Nullable<string>;
  /** Who has to consent to a re-authorization. */
  account_id: Nullable<string>;
  /** What the old backend says of a token that was pasted, whose account the consent has to prove; JSON. */
  evidence: Nullable<string>;
  /** The tokens that the page named before the consent; a JSON array of mapping ids. */
  listed_tokens: Nullable<string>;
  /** The page of ours to show after a sign-in. */
  return_to: Nullable<string>;
  phase: RequestPhase;
  browser_digest: Nullable<string>;
  upstream_state_digest: Nullable<string>;
  verifier_sealed: Nullable<string>;
  created_at: number;
  expires_at: number;
}
