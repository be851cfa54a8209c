import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import {
  ask,
  type AuthorizationAnswer,
  expectPage,
  expectRedirect,
  repeating,
} from '../support/authorization-answers.ts';
import { browser, withConsentingBrowser } from '../support/consenting-browser.ts';
import {
  authorizationUrl,
  CONFIDENTIAL,
  DEMO,
  open,
  type Parameters,
  PUBLIC,
  REDIRECT_URI,
  send,
} from '../support/modern.ts';
import { base } from '../support/running-modern.ts';

withConsentingBrowser();

const request = (parameters: Parameters = {}) => ask(authorizationUrl(base, parameters));
const long = (length: number) => 'x'.repeat(length);

const refused = (answer: AuthorizationAnswer, error: string, state?: string) =>
  expectRedirect(answer, { error, issuer: base, state });

const REDIRECTED: Array<[string, Parameters, string]> = [
  ['response_type missing', { response_type: undefined }, 'invalid_request'],
  ['response_type empty', { response_type: '' }, 'invalid_request'],
  ['response_type token', { response_type: 'token' }, 'unsupported_response_type'],
  ['response_type code token', { response_type: 'code token' }, 'unsupported_response_type'],
  ['response_type id_token', { response_type: 'id_token' }, 'unsupported_response_type'],
  ['response_type CODE', { response_type: 'CODE' }, 'unsupported_response_type'],
  ['response_type code code', { response_type: 'code code' }, 'unsupported_response_type'],
  ['response_type none', { response_type: 'none' }, 'unsupported_response_type'],
  ['scope missing', { scope: undefined }, 'invalid_request'],
  ['scope empty', { scope: '' }, 'invalid_request'],
  ['scope of one space', { scope: ' ' }, 'invalid_scope'],
  ['scope unknown', { scope: 'everything' }, 'invalid_scope'],
  ['scope unknown beside a known one', { scope: 'account:read everything' }, 'invalid_scope'],
  ['scope openid', { scope: 'openid account:read' }, 'invalid_scope'],
  ['scope in capitals', { scope: 'ACCOUNT:READ' }, 'invalid_scope'],
  ['scope with commas', { scope: 'account:read,posts:read' }, 'invalid_scope'],
  ['scope with a NUL', { scope: 'account:read\u0000' }, 'invalid_scope'],
  ['scope with a line break', { scope: 'account:read\r\nposts:read' }, 'invalid_scope'],
  ['scope with a tab', { scope: 'account:read\tposts:read' }, 'invalid_scope'],
  ['scope beyond ASCII', { scope: 'account:réad' }, 'invalid_scope'],
  ['scope toString', { scope: 'toString' }, 'invalid_scope'],
  ['scope of seven thousand words', { scope: 'a'.repeat(7000).split('').join(' ') }, 'invalid_scope'],
  ['scope of one very long word', { scope: long(14_000) }, 'invalid_scope'],
  ['code_challenge missing', { code_challenge: undefined }, 'invalid_request'],
  ['code_challenge empty', { code_challenge: '' }, 'invalid_request'],
  ['code_challenge too short', { code_challenge: long(42) }, 'invalid_request'],
  ['code_challenge too long for SHA-256', { code_challenge: long(44) }, 'invalid_request'],
  ['code_challenge of 10 kB', { code_challenge: long(10_000) }, 'invalid_request'],
  ['code_challenge in plain base64', { code_challenge: '+/'.repeat(21) + '=' }, 'invalid_request'],
  ['code_challenge_method missing', { code_challenge_method: undefined }, 'invalid_request'],
  ['code_challenge_method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['code_challenge_method s256', { code_challenge_method: 's256' }, 'invalid_request'],
  ['code_challenge_method S512', { code_challenge_method: 'S512' }, 'invalid_request'],
  ['no PKCE at all', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
  [
    'no PKCE by a confidential app',
    { client_id: CONFIDENTIAL, code_challenge: undefined, code_challenge_method: undefined },
    'invalid_request',
  ],
  ['prompt unknown', { prompt: 'something' }, 'invalid_request'],
  ['prompt none with consent', { prompt: 'none consent' }, 'invalid_request'],
  ['prompt none without a session', { prompt: 'none' }, 'login_required'],
];

describe('a fault in a request whose redirect URI is proven', () => {
  test.each(REDIRECTED)('%s goes back to the app by redirect', async (_what, parameters, error) => {
    refused(await request(parameters), error, 'state-of-the-app');
  });

  test.each(['response_type', 'scope', 'code_challenge', 'code_challenge_method', 'prompt'])(
    '%s given twice goes back as invalid_request, equal or not',
    async (name) => {
      const url = new URL(authorizationUrl(base));
      const same = url.searchParams.get(name) ?? '';
      for (const value of [same, 'other'])
        refused(await ask(repeating(base, [[name, value]])), 'invalid_request', 'state-of-the-app');
    },
  );

  test('state given twice goes back as invalid_request without a state', async () => {
    refused(await ask(repeating(base, [['state', 'other']])), 'invalid_request');
  });

  test.each(['fragment', 'form_post', 'query', 'something'])(
    'response_mode %s changes nothing: errors go into the query',
    async (mode) => {
      refused(await request({ response_mode: mode, scope: 'x' }), 'invalid_scope', 'state-of-the-app');
    },
  );

  test('a request without state goes on, and its error carries none', async () => {
    refused(await request({ state: undefined, scope: 'x' }), 'invalid_scope');
    expect((await request({ state: undefined })).location).toContain('/interaction/');
  });

  test('unknown parameters are ignored, also twice', async () => {
    const extra: Array<[string, string]> = [
      ['resource', 'https://api.example'],
      ['colour', 'red'],
      ['colour', 'blue'],
      ['claims', '{'],
      ['max_age', '1'],
      ['acr_values', 'x'],
      ['id_token_hint', 'x'],
      ['request', 'x'],
      ['request_uri', 'https://app.example/request'],
      ['registration', '{}'],
    ];
    expect((await ask(repeating(base, extra))).location).toContain('/interaction/');
  });

  test('prompt=none for a signed-in person is consent_required: a consent is never silent', async () => {
    const answer = await browser.get(authorizationUrl(base, { prompt: 'none' }));
    const query = new URL(answer.location ?? 'about:blank').searchParams;
    expect([query.get('error'), query.get('state')]).toEqual(['consent_required', 'state-of-the-app']);
  });

  test('a state of 200 kB is refused before it is kept', async () => {
    const { status, location } = await request({ state: 'x'.repeat(200_000) });
    expect([status, location]).toEqual([400, undefined]);
  });

  test('ten thousand scope words are invalid_scope, and the answer repeats none of them', async () => {
    const words = Array.from({ length: 10_000 }, (_, index) => `posts:write${index}`).join(' ');
    const { status, location } = await request({ scope: words });
    const answer = new URL(location ?? 'about:blank').searchParams;
    expect([status, answer.get('error'), answer.get('state')]).toEqual([
      303,
      'invalid_scope',
      'state-of-the-app',
    ]);
    expect(location?.length).toBeLessThan(500);
  });
});

const PORT = REDIRECT_URI.replace('http://localhost:', '').split('/')[0];

describe('a fault that leaves the redirect URI unproven', () => {
  test.each([
    [REDIRECT_URI.replace('callback', 'CALLBACK')],
    ['HTTP://LOCALHOST:45999/callback'],
    [`${REDIRECT_URI}/`],
    [`${REDIRECT_URI}/../evil`],
    [`${REDIRECT_URI}/%2e%2e/evil`],
    [`${REDIRECT_URI}/..%2Fevil`],
    [`${REDIRECT_URI}/..%252Fevil`],
    [`${REDIRECT_URI}%2Fevil`],
    [`${REDIRECT_URI};/../../evil`],
    [`${REDIRECT_URI}%0A%0D/../evil`],
    [`http://localhost.evil.example:${PORT}/callback`],
    [`http://evil.example/?${REDIRECT_URI}`],
    [`http://localhost:${PORT}@evil.example/callback`],
    [`http://localhost:${PORT}\\@evil.example/callback`],
    [`http://localhost%00.evil.example:${PORT}/callback`],
    [`http://evillocalhost:${PORT}/callback`],
    [`https://localhost:${PORT}/callback`],
    ['http://localhost:45998/callback'],
    ['http://localhost/callback'],
    [`http://127.0.0.1:${PORT}/callback`],
    [`http://[::1]:${PORT}/callback`],
    [`http://[::ffff:127.0.0.1]:${PORT}/callback`],
    [`http://xn--lcalhost-54a:${PORT}/callback`],
    [`${REDIRECT_URI}?x=1`],
    [`${REDIRECT_URI}?code=attacker`],
    [`${REDIRECT_URI}#f`],
    [`javascript:alert(1)//${REDIRECT_URI}`],
    ['data:text/html,x'],
    [`//localhost:${PORT}/callback`],
    ['/callback'],
    [`${REDIRECT_URI}%09`],
    [` ${REDIRECT_URI}`],
    [`${REDIRECT_URI} `],
    [`${REDIRECT_URI}\t`],
    [`${REDIRECT_URI}\u200b`],
    [`${REDIRECT_URI}/${long(8000)}`],
    [''],
  ])('redirect_uri %j is a page', async (uri) => {
    const answer = await request({ redirect_uri: uri });
    expectPage(answer);
    // Nor does another fault on the same way make it a redirect.
    expectPage(await request({ redirect_uri: uri, scope: 'x' }));
  });

  test('no redirect_uri is a page, for an app with one address too', async () => {
    expectPage(await request({ redirect_uri: undefined }));
    expectPage(
      await ask(`${authorizationUrl(base, { redirect_uri: undefined })}&redirect_uri[]=${REDIRECT_URI}`),
    );
  });

  test.each([
    ['good, then evil', REDIRECT_URI, 'https://evil.example'],
    ['evil, then good', 'https://evil.example', REDIRECT_URI],
    ['good, twice', REDIRECT_URI, REDIRECT_URI],
  ])('redirect_uri twice (%s) is a page', async (_what, first, second) => {
    expectPage(await ask(repeating(base, [['redirect_uri', second]], { redirect_uri: first })));
  });

  test.each([
    ['unknown', 'nobody'],
    ['empty', ''],
    ['missing', undefined],
    ['of 10 kB', long(10_000)],
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
    ['with a NUL behind', `${PUBLIC}\u0000`],
    ['in capitals', PUBLIC.toUpperCase()],
    ['of markup', '<script>alert(1)</script>'],
  ])('a client_id that is %s is a page that repeats nothing of it', async (_what, clientId) => {
    const answer = await request({ client_id: clientId });
    expectPage(answer);
    expect(answer.body).not.toContain('<script>');
  });

  test('client_id twice is a page', async () => {
    expectPage(await ask(repeating(base, [['client_id', PUBLIC]])));
    expectPage(await ask(repeating(base, [['client_id', CONFIDENTIAL]])));
  });

  test('the page of an unknown app says invalid_client', async () => {
    expect((await request({ client_id: 'nobody' })).body).toContain('invalid_client');
  });
});

const denied = () => ({ error: 'access_denied', issuer: base, state: 'state-of-the-app' });

describe('denials', () => {
  test('cancelling the sign-in page goes back with access_denied, state and issuer', async () => {
    const stranger = new CookieWalker();
    const page = await open(stranger, authorizationUrl(base));
    const answer = await send(stranger, page, { step: 'cancel' });
    const query = new URL(answer.location ?? 'about:blank').searchParams;
    expectRedirect({ ...answer, query }, denied());
  });

  test('denying on the consent page goes back with access_denied, state and issuer', async () => {
    const stranger = new CookieWalker();
    const page = await open(stranger, authorizationUrl(base));
    const asked = await send(stranger, page, { step: 'sign-in', fields: DEMO });
    const answer = await send(stranger, asked, { step: 'consent', fields: { decision: 'deny' } });
    const query = new URL(answer.location ?? 'about:blank').searchParams;
    expectRedirect({ ...answer, query }, denied());
  });
});

test.each(['POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'])(
  '%s at /auth is 405 and starts nothing',
  async (method) => {
    const response = await fetch(authorizationUrl(base), { method, redirect: 'manual' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET']);
    expect(response.headers.getSetCookie()).toEqual([]);
  },
);
