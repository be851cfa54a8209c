import { rawForm, type RawRequest } from '../../support/callers/raw-request.ts';

/** The three ways in which an old program shows its token. */
export const CARRIERS = ['header', 'query', 'body'] as const;

/** A read that shows a token by one of them. */
export function carriedBy(carrier: (typeof CARRIERS)[number], path: string, token: string): RawRequest {
  const field = `access_token=${encodeURIComponent(token)}`;
  if (carrier === 'query') return { path: `${path}?${field}` };
  if (carrier === 'body') return { method: 'POST', path, ...rawForm(field) };
  return { path, headers: { authorization: `Bearer ${token}` } };
}
