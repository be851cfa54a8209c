/** Whose something is: by an account id, by an e-mail address, or by both. */
export interface Owner {
  accountId: string | null;
  email: string | null;
}

/** Whether two values that are both there differ. */
export function differ(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && a !== b;
}

/** One account has one id; e-mail addresses are compared only where an id is not known on both sides. */
export function isOtherOwner(a: Owner, b: Owner): boolean {
  if (a.accountId !== null && b.accountId !== null) return a.accountId !== b.accountId;
  return differ(a.email, b.email);
}

/** A row that stands in conflict with what is known is left out. */
export const OTHER_ACCOUNT = 'already belongs to another account';
