import { type RawAnswer, rawForm, sendRaw } from '../../support/callers/raw-request.ts';
import { CLIENT_SECRET, CONFIDENTIAL, PUBLIC, REDIRECT_URI } from './modern.ts';

/** Of a form; what is undefined is left out. */
export type Fields = Record<string, string | undefined>;

/** The confidential app as it names itself in a form. */
export const confidential = { client_id: CONFIDENTIAL, client_secret: CLIENT_SECRET };

/** How each kind of app names itself in a form. */
export const APPS = { 'a public app': { client_id: PUBLIC }, 'a confidential app': confidential };
export type App = keyof typeof APPS;
export const kinds = Object.keys(APPS) as App[];

export const long = (length: number) => 'x'.repeat(length);

export const exchangeFieldsOf = ({ code, verifier }: { code: string; verifier: string }): Fields => ({
  ...confidential,
  grant_type: 'authorization_code',
  code,
  code_verifier: verifier,
  redirect_uri: REDIRECT_URI,
});

export const refreshFieldsOf = (refreshToken: string): Fields => ({
  ...confidential,
  grant_type: 'refresh_token',
  refresh_token: refreshToken,
});

/** POST of a form written out by hand, to the byte. */
export function postRaw(
  base: string,
  body: string,
  { path = '/token', headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): Promise<RawAnswer> {
  return sendRaw(base, { method: 'POST', path, ...rawForm(body, headers) });
}

export const basic = (user: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`,
});

export function form(fields: Fields): string {
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  return new URLSearchParams(given).toString();
}

/** RFC 6749 §5.2: JSON with `error` and a text, not stored, nothing of a success or of the server's inside. */
export function expectRefusal({ status, headers, json, text }: RawAnswer, expected: [number, string]): void {
  // A refused scope is named (RFC 6749 says neither yes nor no).
  const { scope: _scope, ...said } = json as Record<string, unknown>;
  expect([status, said]).toEqual([
    expected[0],
    { error: expected[1], error_description: expect.stringMatching(/^[\x20-\x7e]+$/) },
  ]);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(headers['cache-control']).toContain('no-store');
  expect(headers['access-control-allow-origin']).toBeUndefined();
  expect(headers['set-cookie']).toBeUndefined();
  expect(text).not.toMatch(/node_modules|\.ts:|Error:/);
}
