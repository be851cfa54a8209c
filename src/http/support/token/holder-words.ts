/** What staff do where nobody knows whose account a token is: pure functions. */

/** What of a token's holder and of this bridge the step depends on. */
interface Unknown {
  /** Whether the old API can still be asked whose token it is. */
  hasOldApi: boolean;
  /** Whether its account is known by an id of the old API. */
  hasOldId?: boolean;
}

/** Find out, and import: without the old API nobody can prove anything with the token itself. */
export const IMPORT_PAIR =
  'Find out which account this user has now, and have an operator import the pair of both ids.';

/** The next step for a token whose account nobody knows by an address. */
export function unknownHolderStep({ hasOldApi, hasOldId = false }: Unknown): string {
  if (hasOldApi)
    return 'Ask its holder to sign in under “Your apps” and to paste the token there; that shows whose it is.';
  return hasOldId
    ? IMPORT_PAIR
    : 'Find out whose it is, and have an operator import the token with its account; without the old API the token itself cannot show it.';
}
