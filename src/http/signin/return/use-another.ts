import { listedIn } from '../../../domain/authorization/reauthorize.ts';
import type { AuthorizationRequest } from '../../../domain/authorization/consent.ts';
import type { HttpExchange } from '../../pages/brake.ts';
import { formToken } from '../browser-cookie.ts';
import { linkForm, linkIdOf } from '../link-form.ts';
import type { SigninPagesDeps } from '../parts.ts';
import { loadSession, personOf } from '../session.ts';
import { CHOSEN_PREFIX } from './wants-another.ts';

/**
 * The way on where the new API asked another account than that of the request. A consent alone would ask the same account
 * again, because that one is signed in there. So the form says that another one is wanted, and the new API asks who is there.
 */

/** The page of a pasted token. The token is kept nowhere, so it is pasted again. */
const PASTE_AGAIN = '/apps/paste-token?account=another';

/** The fields of a form that connects what the request would have connected. */
function fieldsOf(request: AuthorizationRequest): string[] {
  return ['chosen', ...listedIn(request).map((id) => CHOSEN_PREFIX + id)];
}

/**
 * A form, or the address of one, that leads to the sign-in with another account. `ticked`: its fields with the value
 * `yes`. Undefined where the account of the request is not signed in here any more: its forms are not accepted then.
 */
export async function useAnother(
  parts: SigninPagesDeps,
  { req, res }: HttpExchange,
  request: AuthorizationRequest,
): Promise<{ action: string; token: string; ticked: string[] } | { href: string } | undefined> {
  const { client_id: clientId, account_id: accountId, return_to: link, evidence } = request;
  if (link !== null) return { ...linkForm(parts, { req, res }, linkIdOf(link)), ticked: [] };
  await loadSession(parts, req, res);
  if (personOf(req)?.accountId !== accountId) return undefined;
  if (evidence !== null) return { href: PASTE_AGAIN };
  const token = formToken(parts.context.vault.session(), req.sessionID);
  return { action: `/apps/${clientId}/connect`, token, ticked: fieldsOf(request) };
}
