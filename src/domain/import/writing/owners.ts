/** Whose something is: by an account id, by an e-mail address, or by both. */
export interface Owner {
  accountId: string | null;
  email: string | null;
}

/** The addresses by which the account of an id is known, in lower case. */
export type EmailsOf = (accountId: string) => readonly string[];

/** Whether two values that are both there differ. */
export function differ(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && a !== b;
}

function isOtherAddress({ accountId, email }: Owner, other: string | null, emailsOf: EmailsOf): boolean {
  if (accountId === null || other === null) return differ(email, other);
  const known = [...emailsOf(accountId), ...(email === null ? [] : [email])];
  return known.length > 0 && !known.includes(other);
}

/**
 * One account has one id. Addresses are compared only where an id is not known on both sides, and then with all by which
 * the account of the one id is known; of an id without any it cannot be said.
 */
export function isOtherOwner(a: Owner, b: Owner, emailsOf: EmailsOf): boolean {
  if (a.accountId !== null && b.accountId !== null) return a.accountId !== b.accountId;
  return a.accountId === null ? isOtherAddress(b, a.email, emailsOf) : isOtherAddress(a, b.email, emailsOf);
}

/** A row that stands in conflict with what is known is left out. */
export const OTHER_ACCOUNT = 'already belongs to another account';
