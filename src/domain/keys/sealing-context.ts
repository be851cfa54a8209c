import type { SealedColumn, SealedRow } from '../../store/keys/sealed-columns.ts';

/**
 * The place that each sealed value is bound to (docs/decisions/0007): table, row, column, and for a pair its version. A
 * value that was moved to another place does not open.
 */

/** Of a pair's token; the version keeps an older pair of the same grant from being put back. */
export function pairPlace(
  grantId: string,
  version: number,
  column: 'access_token' | 'refresh_token',
): string {
  return `grants|${grantId}|${column}|${version}`;
}

/** Of an app's `state`. */
export function statePlace(requestId: string): string {
  return `authorization_requests|${requestId}|state`;
}

/** Of a PKCE verifier. */
export function verifierPlace(requestId: string): string {
  return `authorization_requests|${requestId}|verifier`;
}

/** Of an authorization request that travels in the address of its approval page. */
export const APPROVAL_ADDRESS = 'the address of an approval page';

/** Of a sign-in that travels in a cookie, bound to the `state` that it left with. */
export function signInPlace(stateDigest: string): string {
  return `a cookie of a sign-in|${stateDigest}`;
}

/** Of a refresh token that the modern side still has to be told to revoke. */
export function owedPlace(id: string): string {
  return `owed_revocations|${id}|token`;
}

/** Of the secret of an app's own client at the modern side. */
export function clientSecretPlace(id: string): string {
  return `modern_clients|${id}|secret`;
}

const PLACES: Record<SealedColumn['column'], (row: SealedRow) => string> = {
  access_token_sealed: ({ id, version }) => pairPlace(id, version ?? 0, 'access_token'),
  refresh_token_sealed: ({ id, version }) => pairPlace(id, version ?? 0, 'refresh_token'),
  state_sealed: ({ id }) => statePlace(id),
  verifier_sealed: ({ id }) => verifierPlace(id),
  token_sealed: ({ id }) => owedPlace(id),
  secret_sealed: ({ id }) => clientSecretPlace(id),
};

/** Of a row as it is found in a sealed column. */
export function placeIn({ column }: SealedColumn, row: SealedRow): string {
  return PLACES[column](row);
}
