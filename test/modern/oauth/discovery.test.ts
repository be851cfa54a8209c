import { scopes } from '../../../src/modern/scopes.ts';
import { rawForm, sendRaw } from '../../support/callers/raw-request.ts';
import { base, withModern } from '../support/running-modern.ts';

withModern();

const OAUTH = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';

const served = () => ({
  issuer: base,
  authorization_endpoint: `${base}/auth`,
  token_endpoint: `${base}/token`,
  revocation_endpoint: `${base}/token/revocation`,
  introspection_endpoint: `${base}/token/introspection`,
  jwks_uri: `${base}/jwks`,
  authorization_response_iss_parameter_supported: true,
  code_challenge_methods_supported: ['S256'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  scopes_supported: [
    'account:read',
    'account:write',
    'posts:read',
    'posts:write',
    'ideas:read',
    'ideas:write',
    'snippets:read',
    'snippets:write',
    'offline_access',
  ],
  token_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic'],
});

async function documentAt(path: string): Promise<Record<string, unknown>> {
  const { status, headers, json } = await sendRaw(base, { path });
  expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  return json as Record<string, unknown>;
}

test('the RFC 8414 document names what is served, and nothing else', async () => {
  expect(await documentAt(OAUTH)).toEqual(served());
});

test('openid-configuration adds the two members that OpenID requires, and nothing else', async () => {
  expect(await documentAt(OPENID)).toEqual({
    ...served(),
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  });
});

test('the scopes of the document are those of the consent page', async () => {
  expect((await documentAt(OAUTH))['scopes_supported']).toEqual(scopes);
});

test('every address in the document answers in its own words', async () => {
  const document = await documentAt(OAUTH);
  const path = (name: string) => new URL(String(document[name])).pathname;
  const [authorization, jwks, ...posts] = await Promise.all([
    sendRaw(base, { path: path('authorization_endpoint') }),
    sendRaw(base, { path: path('jwks_uri') }),
    ...['token_endpoint', 'revocation_endpoint', 'introspection_endpoint'].map((name) =>
      sendRaw(base, { method: 'POST', path: path(name), ...rawForm('client_id=nobody') }),
    ),
  ]);
  expect([authorization?.status, authorization?.headers['content-type']]).toEqual([
    400,
    'text/html; charset=utf-8',
  ]);
  expect(jwks?.json).toMatchObject({ keys: [{ kty: 'EC', crv: 'P-256', alg: 'ES256' }] });
  expect(jwks?.text).not.toContain('"d"');
  for (const answer of posts)
    expect([answer.status, answer.json]).toMatchObject([401, { error: 'invalid_client' }]);
});

test.each([
  ['dynamic registration', 'POST', '/reg'],
  ['user info', 'GET', '/me'],
  ['pushed requests', 'POST', '/request'],
  ['sign-out for apps', 'GET', '/session/end'],
  ['sign-out for apps, confirmed', 'POST', '/session/end/confirm'],
  ['device codes', 'POST', '/device/auth'],
  ['protected resource metadata', 'GET', '/.well-known/oauth-protected-resource'],
])('%s is not there', async (_what, method, path) => {
  expect((await sendRaw(base, { method, path })).status).toBe(404);
});

test.each([
  ['POST', OAUTH, 'GET, HEAD, OPTIONS'],
  ['PUT', OPENID, 'GET, HEAD, OPTIONS'],
  ['DELETE', '/jwks', 'GET, HEAD, OPTIONS'],
  ['GET', '/token', 'POST'],
  ['HEAD', '/token', 'POST'],
  ['PUT', '/token', 'POST'],
  ['DELETE', '/token', 'POST'],
  ['OPTIONS', '/token', 'POST'],
  ['GET', '/token/revocation', 'POST'],
  ['GET', '/token/introspection', 'POST'],
])('%s at %s is 405 with the methods that work', async (method, path, allow) => {
  const { status, headers, json } = await sendRaw(base, { method, path });
  expect([status, headers['allow']]).toEqual([405, allow]);
  if (method !== 'HEAD') expect(json).toMatchObject({ error: 'invalid_request' });
});

test.each(['/TOKEN', '/token/', '//token', '/tok%65n', '/token;x', '/token/x', '/auth/../token'])(
  '%s is not the token endpoint',
  async (path) => {
    const { status } = await sendRaw(base, { method: 'POST', path, ...rawForm('client_id=nobody') });
    expect(status).toBe(404);
  },
);

test.each([
  ['Host', { host: 'evil.example' }],
  ['X-Forwarded-Host', { 'x-forwarded-host': 'evil.example' }],
  ['X-Forwarded-Proto and -Port', { 'x-forwarded-proto': 'https', 'x-forwarded-port': '444' }],
  ['Forwarded', { forwarded: 'host=evil.example;proto=https' }],
  ['X-Original-URL and X-Forwarded-Uri', { 'x-original-url': '/evil', 'x-forwarded-uri': '/evil' }],
])('%s changes no address', async (_what, headers: Record<string, string>) => {
  const { json } = await sendRaw(base, { path: OAUTH, headers });
  expect(json).toEqual(served());
});
