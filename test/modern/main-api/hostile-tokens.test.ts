import { sendRaw } from '../../support/callers/raw-request.ts';
import { bearer, withBearer } from '../support/bearers.ts';
import { base } from '../support/running-modern.ts';

/** Tokens in odd spellings and of odd content, tried on the main API (docs/threats.md R10, D79, D80, D84 to D86, D89). */

withBearer();

const BODY = JSON.stringify({ query: '{ account { id } }' });
const JSON_TYPE = { 'content-type': 'application/json' };

const askWith = (authorization: string, headers: Record<string, string> = {}) =>
  sendRaw(base, {
    method: 'POST',
    path: '/',
    headers: { ...JSON_TYPE, ...headers, authorization },
    body: BODY,
  });

const token = () => bearer.replace('Bearer ', '');

test.each(['bearer TOKEN', 'BEARER TOKEN', 'Bearer TOKEN '])('row D79 "%s" is read', async (written) => {
  expect((await askWith(written.replace('TOKEN', token()))).status).toBe(200);
});

test.each([
  'Bearer\tTOKEN',
  'BearerTOKEN',
  'OAuth TOKEN',
  'Token TOKEN',
  'TOKEN',
  'Bearer TOKEN x',
  'Bearer TOKEN,',
  'Bearer "TOKEN"',
  'Bearer Bearer TOKEN',
  'Basic TOKEN',
])('row D79 "%s" carries no token', async (written) => {
  expect((await askWith(written.replace('TOKEN', token()))).status).toBe(401);
});

test.each([
  ["D84 SQL: ' or 1=1--", () => "' or 1=1--"],
  ['D84 a wildcard', () => '%'],
  ['D84 one character of any kind', () => '_'],
  ['D84 an operator', () => '{"$gt":""}'],
  ['D84 the name of a prototype', () => '__proto__'],
  ['D80 the token and a plus', () => `${token()}+`],
  ['D85 the token in another case', () => token().toUpperCase()],
  ['D85 the token without its last character', () => token().slice(0, -1)],
  ['D85 60,000 characters', () => 'x'.repeat(60_000)],
])('row %s is 401, and nothing of it comes back', async (_what, made) => {
  const answer = await askWith(`Bearer ${made()}`);
  expect(answer.status).toBe(401);
  expect(answer.text).toBe(
    '{"errors":[{"message":"Access token is not valid","extensions":{"code":"UNAUTHENTICATED"}}]}',
  );
});

test('row R10 a refusal has one challenge that says no more than the scheme', async () => {
  const refused = await askWith('Bearer unknown');
  const lines = refused.headers['www-authenticate'];
  expect([refused.status, lines]).toEqual([401, 'Bearer']);
});

test('row D85 a token of 1,000,000 characters is refused by the HTTP server itself', async () => {
  const answer = await askWith(`Bearer ${'x'.repeat(1_000_000)}`).catch((error: unknown) => error);
  expect(answer).toMatchObject({ status: 431 });
});

test.each<[string, Record<string, string>]>([
  ['nothing more', {}],
  ['If-None-Match', { 'if-none-match': '*' }],
  ['If-Modified-Since', { 'if-modified-since': new Date(Date.now() + 1e6).toUTCString() }],
  ['Range', { range: 'bytes=0-1' }],
])('rows D86 and D89 with %s an answer is whole, and out of caches', async (_what, headers) => {
  const { status, text, headers: told } = await askWith(bearer, headers);
  expect(status).toBe(200);
  expect(text).toMatch(/^\{"data":\{"account":\{"id":"[\w-]+"\}\}\}$/);
  expect(told['cache-control']).toContain('no-store');
  expect(told.etag).toBeUndefined();
  expect(told['x-content-type-options']).toBe('nosniff');
});
