import { InDoubt, Unavailable } from '../../src/upstream/outcomes.ts';
import { processTokenAnswer } from '../../src/upstream/token-answer.ts';

/** What one answer of the token endpoint proves, answer by answer (docs/decisions/0004). */

const NOW = Date.UTC(2026, 10, 1);
const DAY = 86_400_000;

const PAIR = { access_token: 'a2', refresh_token: 'r2', token_type: 'Bearer', expires_in: 60, scope: 's2' };

type Expected = Partial<Parameters<typeof processTokenAnswer>[1]>;

function read(
  status: number,
  body: unknown,
  { headers = {}, ...expected }: Expected & { headers?: object } = {},
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = { status, headers: { ...headers }, body: text };
  return processTokenAnswer(answer, { scope: 's1', presented: 'r1', now: NOW, ...expected });
}

function failureOf(...asked: Parameters<typeof read>): unknown {
  try {
    return read(...asked);
  } catch (error) {
    return error;
  }
}

const IN_DOUBT = { name: 'InDoubt' };

test('a whole pair is what the answer says', () => {
  expect(read(200, PAIR)).toEqual({ accessToken: 'a2', refreshToken: 'r2', lifetime: 60_000, scope: 's2' });
});

test.each([[undefined], [null], [['s2']]])(
  'with the scope %j the pair keeps the scope that was asked for',
  (scope) => {
    expect(read(200, { ...PAIR, scope })).toMatchObject({ scope: 's1' });
  },
);

test.each<[unknown, number]>([
  [60, 60_000],
  ['60', 60_000],
  [1.5, 1500],
  [1.0005, 1000],
  [1, 1000],
  [0, 1000],
  [-5, 1000],
  ['', 1000],
  [31_536_000, 365 * DAY],
  [31_536_001, 365 * DAY],
  ['1e400', 365 * DAY],
  ['soon', 300_000],
  [undefined, 300_000],
  [null, 300_000],
  [true, 300_000],
])('expires_in %j is a lifetime of %d ms', (expiresIn, lifetime) => {
  expect(read(200, { ...PAIR, expires_in: expiresIn })).toMatchObject({ lifetime });
});

const LONGEST = 'a'.repeat(8192);

test.each<[name: string, body: unknown]>([
  ['a list', [PAIR]],
  ['HTML', '<html>'],
  ['no access token', { ...PAIR, access_token: undefined }],
  ['an access token that is a number', { ...PAIR, access_token: 12 }],
  ['an empty access token', { ...PAIR, access_token: '' }],
  ['an access token with a space', { ...PAIR, access_token: 'a 2' }],
  ['an access token with a line break at its end', { ...PAIR, access_token: 'a2\n' }],
  ['an access token with a letter beyond ASCII', { ...PAIR, access_token: 'é' }],
  ['an access token that is too long', { ...PAIR, access_token: `${LONGEST}a` }],
  ['no refresh token', { ...PAIR, refresh_token: undefined }],
  ['an empty refresh token', { ...PAIR, refresh_token: '' }],
  ['a refresh token that is too long', { ...PAIR, refresh_token: `${LONGEST}a` }],
  ['no token type', { ...PAIR, token_type: undefined }],
  ['another token type', { ...PAIR, token_type: 'mac' }],
])('200 with %s is in doubt', (_name, body) => {
  expect(failureOf(200, body)).toMatchObject({
    ...IN_DOUBT,
    message: 'the token answer has no whole token pair',
  });
});

test('tokens of 8192 characters and any spelling of bearer are taken', () => {
  const long = { access_token: LONGEST, refresh_token: `r${LONGEST.slice(1)}`, token_type: 'bEARER' };
  expect(read(200, { ...PAIR, ...long })).toMatchObject({ accessToken: LONGEST });
});

test('a refresh token that comes back unchanged is in doubt', () => {
  expect(failureOf(200, { ...PAIR, refresh_token: 'r1' })).toMatchObject({
    ...IN_DOUBT,
    message: 'the token answer repeats the refresh token',
  });
});

test.each([[undefined], ['r2'], ['']])('for a sign-in the refresh token %j is not kept', (refreshToken) => {
  const asked = { isForGood: false, presented: undefined } as unknown as Expected;
  expect(read(200, { ...PAIR, refresh_token: refreshToken }, asked)).toMatchObject({ refreshToken: '' });
});

test.each<[status: number, body: unknown, code: string]>([
  [400, { error: 'invalid_grant' }, 'invalid_grant'],
  [401, { error: 'invalid_client' }, 'invalid_client'],
  [403, { error: 'unauthorized_client' }, 'unauthorized_client'],
  [400, { error: 'invalid_request' }, 'invalid_request'],
])('%d with %j is a refusal', (status, body, code) => {
  expect(failureOf(status, body)).toMatchObject({
    name: 'Rejected',
    code,
    message: `the authorization server answered ${code}`,
  });
});

test.each<[status: number, body: unknown]>([
  [201, PAIR],
  [302, { error: 'invalid_grant' }],
  [400, { error: 'invalid_scope' }],
  [400, { error: ['invalid_grant'] }],
  [400, {}],
  [400, ''],
  [404, { error: 'invalid_grant' }],
  [500, { error: 'invalid_client' }],
  [429, 'slow down'],
  [429, ''],
])('%d with %j is in doubt', (status, body) => {
  expect(failureOf(status, body)).toMatchObject({
    ...IN_DOUBT,
    message: `the authorization server answered ${status} without a usable token answer`,
  });
});

const LIMIT = { extensions: { code: 'RATE_LIMIT_EXCEEDED' } };

test.each<[body: unknown, headers: object, isOfClient: boolean, retryAfter: number]>([
  [{}, {}, false, 60_000],
  [{}, { 'retry-after': '7' }, false, 7000],
  ['slow down', { 'retry-after': '7' }, false, 7000],
  ['', { 'retry-after': new Date(NOW + 9000).toUTCString() }, false, 9000],
  [{ error: 'invalid_grant' }, {}, false, 60_000],
  [{ errors: [LIMIT] }, {}, true, 60_000],
  [{ errors: [null, 'x', { extensions: null }, LIMIT] }, {}, true, 60_000],
  [{ errors: [{ extensions: { code: 'OTHER' } }] }, {}, false, 60_000],
  [{ errors: [] }, {}, false, 60_000],
  [{ errors: LIMIT }, {}, false, 60_000],
])('429 with %j and %j asks to wait', (body, headers, isOfClient, retryAfter) => {
  const failure = failureOf(429, body, { headers });
  expect(failure).toMatchObject({ name: 'Unavailable', isOfClient, retryAfter });
  expect(failure).toHaveProperty('message', 'the authorization server asks the bridge to slow down');
});

test('a failure keeps its cause, and is of one grant unless the answer says otherwise', () => {
  const cause = new Error('reset');
  expect([new Unavailable('m', { cause }).cause, new InDoubt('m', { cause }).cause]).toEqual([cause, cause]);
  expect(new Unavailable('m')).toMatchObject({ isOfClient: false, retryAfter: undefined });
});
