import type { IncomingHttpHeaders } from 'node:http';
import type { RawAnswer } from '../../support/callers/raw-request.ts';

/** The answer forms of docs/threats.md and docs/old-api.md. */

export type Answered = Pick<RawAnswer, 'status' | 'headers' | 'text' | 'json'>;

function expectNoCrossOriginHeaders(headers: IncomingHttpHeaders): void {
  const names = Object.keys(headers).filter((name) => name.startsWith('access-control-'));
  expect(names).toEqual([]);
}

/** What holds for every answer: nothing of the inside, no cross-origin reading, no entity tag. */
export function expectSound({ headers, text }: Answered): void {
  expectNoCrossOriginHeaders(headers);
  expect(headers.etag).toBeUndefined();
  expect(headers['x-powered-by']).toBeUndefined();
  expect(text).not.toMatch(/\bat .+\.[jt]s:\d+|node_modules|SQLITE|relation "|Error:/);
}

/** A refusal that a person reads. */
export function expectPage(answer: Answered, status: number): void {
  expectSound(answer);
  expect(answer.status).toBe(status);
  expect(answer.headers.location).toBeUndefined();
  expect(answer.headers['content-type']).toMatch(/^text\/html/);
  expect(answer.headers['cache-control']).toContain('no-store');
  expect(answer.headers['x-frame-options']).toBe('DENY');
  expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'");
  expect(answer.headers['referrer-policy']).toBe('no-referrer');
  expect(answer.text).not.toMatch(/<script|<img|\son\w+=|https?:\/\//i);
}

/** PAGE400. */
export function expectPage400(answer: Answered): void {
  expectPage(answer, 400);
}

/** TOK(status, code), with the `error_description` of RFC 6749 §5.2. */
export function expectTokenError(answer: Answered, status: number, code: string): void {
  expectSound(answer);
  expect(answer).toMatchObject({ status, json: { error: code } });
  expect(Object.keys(answer.json as object)).toEqual(['error', 'error_description']);
  expect(answer.text).toMatch(/^[\x20-\x7e]+$/);
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json;charset=UTF-8',
    'cache-control': expect.stringContaining('no-store'),
    pragma: 'no-cache',
  });
  expect(answer.headers['set-cookie']).toBeUndefined();
  expect(answer.headers.location).toBeUndefined();
}

/** RS(status, code) in the recorded form (docs/old-api.md Q11): string `error`, integer `code`, no challenge. */
export function expectRefusal(answer: Answered, status: number, code: number): void {
  expectSound(answer);
  expect(answer).toMatchObject({ status, json: { error: expect.any(String), code } });
  expect(answer.headers['content-type']).toBe('application/json;charset=UTF-8');
  expect(answer.headers['cache-control']).toBe('private, no-store');
  expect(answer.headers['www-authenticate']).toBeUndefined();
  expect(answer.headers.location).toBeUndefined();
}

/** The recorded 401 of a token that serves nothing. */
export function expectInvalidToken(answer: Answered): void {
  expectRefusal(answer, 401, 401);
  expect(answer.json).toMatchObject({ error: 'The provided access token is invalid' });
}

/** The recorded answer to a call without a token: 401, the OAuth challenge in single quotes, an empty body. */
export function expectChallenge(answer: Answered): void {
  expectSound(answer);
  expect(answer).toMatchObject({ status: 401, text: '' });
  expect(answer.headers['www-authenticate']).toMatch(
    /^OAuth realm='Service', error='invalid_request', error_description='[\x20-\x7e]+'$/,
  );
  expect(answer.headers['content-type']).toBe('text/html; charset=UTF-8');
}

/** A redirect to exactly this address. */
export function expectRedirect(answer: Answered, location: string): void {
  expectSound(answer);
  expect(answer.status).toBe(302);
  expect(answer.headers.location).toBe(location);
}

/** The 405 of an old path with its `Allow`; a HEAD answer has no body. */
export function expectMethodRefused(answer: Answered, allow: string): void {
  expectSound(answer);
  expect(answer.status).toBe(405);
  expect(answer.headers.allow).toBe(allow);
  if (answer.text !== '') expect(answer.json).toMatchObject({ error: expect.any(String) });
}
