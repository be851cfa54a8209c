/** The next step of staff for a token whose account is not known: pure functions. */

/** The facts that decide the next step. */
interface UnknownHolder {
  /** Whether the old API can still tell the account of the token. */
  hasOldApi: boolean;
  /** Whether an old user id of the account is known. */
  hasOldId?: boolean;
}

/** Without the old API the token itself cannot prove whose account it is, so an operator imports the pair of ids. */
export const IMPORT_PAIR =
  'Find out which account this user has now, and have an operator import the pair of both ids.';

/** The next step for a token without a known account or e-mail address. */
export function unknownHolderStep({ hasOldApi, hasOldId = false }: UnknownHolder): string {
  if (hasOldApi)
    return 'Ask its holder to sign in under “Your apps” and to paste the token there; that shows whose it is.';
  return hasOldId
    ? IMPORT_PAIR
    : 'Find out whose it is, and have an operator import the token with its account; without the old API the token itself cannot show it.';
}
