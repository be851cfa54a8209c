import type { HttpExchange } from '../pages/brake.ts';
import { expiredForm } from '../pages/page-error.ts';
import { formToken, isFormToken } from './browser-cookie.ts';
import type { SigninPagesDeps } from './parts.ts';
import { keepingAnother } from './return/wants-another.ts';

/**
 * The form of a mailed link in a browser where nobody is signed in. There is no session to bind the form to, so a cookie
 * of this link binds it, as on the approval page. The form works in the browser that opened the link, and nowhere else.
 */

/** The address of a link. */
export const linkPath = (id: string) => `/apps/connect/${id}`;

/** `/apps/connect/ID` → `ID`, for a request that keeps the address on which it began. */
export const linkIdOf = (path: string): string => path.split('/').at(-1) ?? '';

/** The address of the form, and its hidden field for this browser. */
export function linkForm(parts: SigninPagesDeps, { req, res }: HttpExchange, id: string) {
  const browser = parts.browsers.readOrGive(req, res, id);
  return { action: `/connect/${id}`, token: formToken(parts.context.vault.session(), browser) };
}

const expired = (page: string) =>
  expiredForm({
    next: 'Nothing was changed. Open the link again.',
    wayOn: { href: page, label: 'Open the link again' },
  });

/**
 * Accepts a form that this browser got for this link.
 * @throws {PageError} 403
 */
export function requireLinkForm(parts: SigninPagesDeps, req: HttpExchange['req'], id: string): void {
  const { _form: field } = (req.body ?? {}) as Record<string, unknown>;
  const browser = parts.browsers.read(req, id);
  if (browser === undefined || !isFormToken(parts.context.vault.session(), browser, field))
    throw expired(keepingAnother(linkPath(id), req.body));
}
