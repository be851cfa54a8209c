/** The account of a token or app: by an account id, by an e-mail address, or by both. */
export interface Owner {
  accountId: string | null;
  email: string | null;
}

/** The addresses by which an account is known, in lower case. */
export type EmailLookup = (accountId: string) => readonly string[];

/** Whether both values are present and differ. */
export function differ(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && a !== b;
}

function isOtherAddress({ accountId, email }: Owner, other: string | null, emailsOf: EmailLookup): boolean {
  if (accountId === null || other === null) return differ(email, other);
  const known = [...emailsOf(accountId), ...(email === null ? [] : [email])];
  return known.length > 0 && !known.includes(other);
}

/**
 * Whether two claims name different accounts. Two ids are compared directly, because an account has one id. When one
 * claim has no id, its address is compared with all known addresses of the other account. An account id without a known
 * address contradicts no address.
 */
export function isOtherOwner(a: Owner, b: Owner, emailsOf: EmailLookup): boolean {
  if (a.accountId !== null && b.accountId !== null) return a.accountId !== b.accountId;
  return a.accountId === null ? isOtherAddress(b, a.email, emailsOf) : isOtherAddress(a, b.email, emailsOf);
}

/** The refusal of a row whose account contradicts the known account. */
export const OTHER_ACCOUNT = 'already belongs to another account';
