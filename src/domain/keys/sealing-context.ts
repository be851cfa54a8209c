import type { SealedColumn, SealedRow } from '../../store/keys/sealed-columns.ts';

/**
 * The place that a sealed value is bound to (docs/decisions/0007): table, row and column, and for a pair its version. A
 * value that was moved to another place does not open.
 */

/** The place of a pair's token. The version keeps an older pair of the same grant from being put back. */
export function pairPlace(
  grantId: string,
  version: number,
  column: 'access_token' | 'refresh_token',
): string {
  return `grants|${grantId}|${column}|${version}`;
}

/** The place of an app's `state`. */
export function statePlace(requestId: string): string {
  return `authorization_requests|${requestId}|state`;
}

/** The place of a PKCE verifier. */
export function verifierPlace(requestId: string): string {
  return `authorization_requests|${requestId}|verifier`;
}

/** The place of an authorization request in the address of its approval page. */
export const APPROVAL_ADDRESS = 'the address of an approval page';

/** The place of a sign-in in a cookie, bound to the `state` that was sent with the sign-in. */
export function signInPlace(stateDigest: string): string {
  return `a cookie of a sign-in|${stateDigest}`;
}

/** The place of a company sign-in in a cookie, bound to the `state` that was sent with the sign-in. */
export function companySignInPlace(stateDigest: string): string {
  return `a cookie of a company sign-in|${stateDigest}`;
}

/** The place of a refresh token that the bridge still has to revoke at the new API. */
export function owedPlace(id: string): string {
  return `owed_revocations|${id}|token`;
}

/** The place of the secret of an app's own client at the new API. */
export function clientSecretPlace(id: string): string {
  return `modern_clients|${id}|secret`;
}

/** The place of a secret that messages to a webhook are signed with. */
export function signingPlace(id: string): string {
  return `webhook_secrets|${id}|signing`;
}

const PLACES: Record<SealedColumn['column'], (row: SealedRow) => string> = {
  access_token_sealed: ({ id, version }) => pairPlace(id, version ?? 0, 'access_token'),
  refresh_token_sealed: ({ id, version }) => pairPlace(id, version ?? 0, 'refresh_token'),
  state_sealed: ({ id }) => statePlace(id),
  verifier_sealed: ({ id }) => verifierPlace(id),
  token_sealed: ({ id }) => owedPlace(id),
  secret_sealed: ({ id }) => clientSecretPlace(id),
  signing_sealed: ({ id }) => signingPlace(id),
};

/** The place of a row in a sealed column. */
export function placeIn({ column }: SealedColumn, row: SealedRow): string {
  return PLACES[column](row);
}
