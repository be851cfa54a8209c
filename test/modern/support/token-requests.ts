import { type RawAnswer, rawForm, sendRaw } from '../../support/raw-request.ts';

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

/** The form of these fields; `undefined` leaves one out. */
export function form(fields: Record<string, string | undefined>): string {
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  return new URLSearchParams(given).toString();
}

/** Specification 5.7 and 7: JSON with `error` and a text, not stored, nothing of a success or of the server's inside. */
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
