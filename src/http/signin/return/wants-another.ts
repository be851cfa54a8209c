import type { HttpExchange } from '../../pages/brake.ts';

/** The wish for another account than the one that is signed in at the new API, and what was chosen beside it. */

/** Before the id of a token that was chosen: a field of the form that connects. */
export const CHOSEN_PREFIX = 'token-';

const isAnother = (fields: unknown) =>
  (fields as Record<string, unknown> | undefined)?.['account'] === 'another';

/** Whether a form, or the address of a page, wants another account than the one that the account page knows. */
export const wantsAnother = ({ query, body }: HttpExchange['req']): boolean =>
  isAnother(query) || isAnother(body);

/** The address of a page that leads on, with the wish for another account where `fields` hold it. */
export function keepingAnother(path: string, fields: unknown): string {
  if (!isAnother(fields)) return path;
  return `${path}${path.includes('?') ? '&' : '?'}account=another`;
}
