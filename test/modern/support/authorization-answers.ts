import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { authorizationUrl, type Parameters, REDIRECT_URI } from './modern.ts';

export interface AuthorizationAnswer {
  status: number;
  headers: Headers;
  body: string;
  location: string | undefined;
  /** The query of the redirect, if it is one. */
  query: URLSearchParams;
}

/** One GET by a browser that has never been here, redirects not followed. */
export async function ask(url: string): Promise<AuthorizationAnswer> {
  const { status, headers, body, location } = await new CookieWalker().get(url);
  const query = location === undefined ? new URLSearchParams() : new URL(location, url).searchParams;
  return { status, headers, body, location, query };
}

/** An authorization request in which some parameters appear again, with the values given. */
export function repeating(base: string, again: Array<[string, string]>, parameters: Parameters = {}): string {
  const url = new URL(authorizationUrl(base, parameters));
  for (const [name, value] of again) url.searchParams.append(name, value);
  return url.href;
}

interface Refusal {
  error: string;
  issuer: string;
  /** Undefined where the request had none that could be sent back. */
  state?: string | undefined;
}

/** Back to the app's own address, by query alone, with state and issuer and nothing that a success would have. */
export function expectRedirect(
  { status, location, query }: Pick<AuthorizationAnswer, 'status' | 'location' | 'query'>,
  { error, issuer, state }: Refusal,
): void {
  expect([status, location?.split('?')[0]]).toEqual([303, REDIRECT_URI]);
  expect(location).not.toContain('#');
  expect(Object.fromEntries(query)).toEqual({
    error,
    error_description: expect.stringMatching(/^[\x20-\x7e]+$/),
    iss: issuer,
    ...(state !== undefined && { state }),
  });
}

/** A page for the person, and no way to the app. */
export function expectPage({ status, location, headers, body }: AuthorizationAnswer): void {
  expect([status, location]).toEqual([400, undefined]);
  expect(headers.get('content-type')).toContain('text/html');
  expect(headers.get('cache-control')).toContain('no-store');
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(headers.get('x-frame-options')).toBe('DENY');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('set-cookie') ?? '').not.toContain('modern_interaction=');
  expect(body).toContain('<h1>');
}
