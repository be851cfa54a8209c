import { returnPath } from '../return-path.ts';

/** The addresses of the company sign-in. */

export const COMPANY_SIGN_IN = '/sign-in/company';

/**
 * The redirect URI, which the operator registers at the identity provider. No other server sends a browser there, so an
 * answer of the new API never counts as an answer of the company (RFC 9700 §4.4.2).
 */
export const COMPANY_RETURN = `${COMPANY_SIGN_IN}/return`;

/** The page after a sign-out of staff. */
export const COMPANY_SIGNED_OUT = `${COMPANY_SIGN_IN}/signed-out`;

/** The address of the return with the public address. */
export const companyReturnAddress = ({ publicUrl }: { publicUrl: string }): string =>
  `${publicUrl}${COMPANY_RETURN}`;

const SUPPORT = '/support';

/** Where a company sign-in leads to: a page of support. Staff of the company have no other pages. */
export function staffReturnPath(asked: unknown): string {
  const path = returnPath(asked);
  return /^\/support(?=[/?]|$)/.test(path) ? path : SUPPORT;
}
