import { CookieWalker } from '../support/cookie-walker.ts';
import {
  authorizationUrl,
  consent,
  DEMO,
  open,
  REDIRECT_URI,
  type Running,
  runModern,
  send,
} from './support/modern.ts';

let modern: Running;
let base: string;
beforeAll(async () => {
  modern = await runModern();
  base = modern.server.url;
});
afterAll(() => modern.stop());

const refusalOf = (location: string | undefined) => {
  const query = new URL(location ?? 'about:blank').searchParams;
  return { error: query.get('error'), state: query.get('state'), text: query.get('error_description') };
};

describe('authorization requests', () => {
  test('an allowed request goes back with code, state and issuer', async () => {
    const { answer } = await consent({ base });
    expect([...answer.keys()].toSorted()).toEqual(['code', 'iss', 'state']);
    expect(answer.get('state')).toBe('state-of-the-app');
    expect(answer.get('iss')).toBe(base);
  });

  test('a denied request goes back with access_denied and state', async () => {
    const browser = new CookieWalker();
    const signIn = await open(browser, authorizationUrl(base));
    const asked = await send(browser, signIn, { step: 'sign-in', fields: DEMO });
    const { location } = await send(browser, asked, { step: 'consent', fields: { decision: 'deny' } });
    expect(location).toContain(REDIRECT_URI);
    expect(refusalOf(location)).toMatchObject({ error: 'access_denied', state: 'state-of-the-app' });
    expect(refusalOf(location).text).toBeTruthy();
  });

  test('cancelling the sign-in denies the request', async () => {
    const browser = new CookieWalker();
    const signIn = await open(browser, authorizationUrl(base));
    const { location } = await send(browser, signIn, { step: 'cancel' });
    expect(refusalOf(location)).toMatchObject({ error: 'access_denied', state: 'state-of-the-app' });
  });

  test.each([
    ['no code_challenge', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['a plain code_challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a code_challenge without method', { code_challenge_method: undefined }, 'invalid_request'],
    [
      'no PKCE by a confidential app',
      { client_id: 'confidential-app', code_challenge: undefined, code_challenge_method: undefined },
      'invalid_request',
    ],
    ['an unknown scope', { scope: 'account:read everything' }, 'invalid_scope'],
    ['openid', { scope: 'openid account:read' }, 'invalid_scope'],
    ['no scope', { scope: undefined }, 'invalid_request'],
    ['another response type', { response_type: 'code token' }, 'invalid_request'],
  ])('%s is sent back to the app as an error', async (_what, parameters, error) => {
    const { location } = await open(new CookieWalker(), authorizationUrl(base, parameters));
    const { searchParams, hash } = new URL(location ?? 'about:blank');
    const answer = searchParams.has('error') ? searchParams : new URLSearchParams(hash.slice(1));
    expect(answer.get('error')).toBe(error);
    expect(answer.get('state')).toBe('state-of-the-app');
    expect(answer.get('error_description')).toBeTruthy();
  });

  test.each([
    ['a path beside the registered one', { redirect_uri: `${REDIRECT_URI}/` }],
    ['another port on loopback', { redirect_uri: 'http://localhost:45998/callback' }],
    ['the same address in other letters', { redirect_uri: 'http://LOCALHOST:45999/callback' }],
    ['an added query', { redirect_uri: `${REDIRECT_URI}?x=1` }],
    ['an unknown app', { client_id: 'nobody' }],
  ])('%s is a page and never a redirect', async (_what, parameters) => {
    const page = await new CookieWalker().get(authorizationUrl(base, parameters));
    expect(page.status).toBe(400);
    expect(page.location).toBeUndefined();
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.body).toContain('<h1>');
  });

  test('consent is asked for even without prompt=consent and with an earlier consent in the same browser', async () => {
    const browser = new CookieWalker();
    await consent({ base, browser });
    const page = await open(browser, authorizationUrl(base, { prompt: undefined }));
    expect(page.body).toContain('Allow Public');
  });

  test('HEAD neither starts nor goes on with an authorization', async () => {
    const { status } = await fetch(authorizationUrl(base), { method: 'HEAD', redirect: 'manual' });
    expect(status).toBe(405);
  });

  test('a forged Host header appears in no address', async () => {
    const { request } = await import('node:http');
    const location = await new Promise((resolve) => {
      const asked = request(`${base}/.well-known/openid-configuration`, {
        headers: { host: 'evil.example' },
      });
      asked.on('response', (response) => {
        let text = '';
        response.on('data', (chunk) => (text += String(chunk)));
        response.on('end', () => resolve(text));
      });
      asked.end();
    });
    expect(location).not.toContain('evil.example');
  });
});

describe('discovery', () => {
  test.each(['openid-configuration', 'oauth-authorization-server'])(
    '%s describes the server',
    async (name) => {
      const response = await fetch(`${base}/.well-known/${name}`);
      expect(await response.json()).toMatchObject({
        issuer: base,
        authorization_endpoint: `${base}/auth`,
        token_endpoint: `${base}/token`,
        revocation_endpoint: `${base}/token/revocation`,
        introspection_endpoint: `${base}/token/introspection`,
        code_challenge_methods_supported: ['S256'],
        response_types_supported: ['code'],
        scopes_supported: expect.not.arrayContaining(['openid']),
        response_modes_supported: ['query'],
      });
    },
  );
});
