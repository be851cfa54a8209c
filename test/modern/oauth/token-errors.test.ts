import { gzipSync } from 'node:zlib';
import { multipart, rawForm, sendRaw } from '../../support/callers/raw-request.ts';
import {
  code,
  exchangeFields,
  NO_SECRET,
  refreshFields,
  replaceTokens,
  tokens,
  withConfidentialGrant,
} from '../support/confidential-grant.ts';
import { apiStatus, CLIENT_SECRET, CONFIDENTIAL, PUBLIC, REDIRECT_URI, refresh } from '../support/modern.ts';
import { base } from '../support/running-modern.ts';
import {
  basic,
  confidential as secret,
  expectRefusal,
  type Fields,
  form,
  long,
  postRaw,
} from '../support/token-requests.ts';

/** Every refusal below must leave the code and the refresh token as they are. */
withConfidentialGrant('account:read posts:read offline_access');

test('a refused Basic names its scheme, a refused body does not', async () => {
  const wrong = await postRaw(base, form({ ...refreshFields(), ...NO_SECRET }), {
    headers: basic(CONFIDENTIAL, 'wrong'),
  });
  expect(wrong.headers['www-authenticate']).toMatch(/^Basic realm=/);
  const body = await postRaw(base, form({ ...refreshFields(), client_secret: 'wrong' }));
  expect(body.headers['www-authenticate']).toBeUndefined();
});

describe('parameters', () => {
  test.each<[string, Fields, string]>([
    ['no grant_type', { grant_type: undefined }, 'invalid_request'],
    ['an empty grant_type', { grant_type: '' }, 'invalid_request'],
    ['grant_type password', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['grant_type client_credentials', { grant_type: 'client_credentials' }, 'unsupported_grant_type'],
    ['grant_type implicit', { grant_type: 'implicit' }, 'unsupported_grant_type'],
    ['grant_type urn:example', { grant_type: 'urn:example' }, 'unsupported_grant_type'],
    ['grant_type __proto__', { grant_type: '__proto__' }, 'unsupported_grant_type'],
    ['a grant_type of 10 kB', { grant_type: long(10_000) }, 'unsupported_grant_type'],
    ['no code', { code: undefined }, 'invalid_request'],
    ['an empty code', { code: '' }, 'invalid_request'],
    ['an unknown code', { code: long(43) }, 'invalid_grant'],
    ['a code of 10 kB', { code: long(10_000) }, 'invalid_grant'],
    ['no redirect_uri', { redirect_uri: undefined }, 'invalid_request'],
    ['an empty redirect_uri', { redirect_uri: '' }, 'invalid_request'],
    ['another redirect_uri', { redirect_uri: 'http://localhost:45999/other' }, 'invalid_grant'],
    ['a redirect_uri with a slash behind', { redirect_uri: `${REDIRECT_URI}/` }, 'invalid_grant'],
    ['a redirect_uri in capitals', { redirect_uri: REDIRECT_URI.toUpperCase() }, 'invalid_grant'],
    ['no code_verifier', { code_verifier: undefined }, 'invalid_request'],
    ['an empty code_verifier', { code_verifier: '' }, 'invalid_request'],
    ['another code_verifier', { code_verifier: long(43) }, 'invalid_grant'],
    ['a code_verifier of one letter', { code_verifier: 'x' }, 'invalid_request'],
    ['a code_verifier of 42 letters', { code_verifier: long(42) }, 'invalid_request'],
    ['a code_verifier of 129 letters', { code_verifier: long(129) }, 'invalid_request'],
    ['a code_verifier with a space', { code_verifier: `${long(42)} ` }, 'invalid_request'],
    ["another app's code", { client_id: PUBLIC, ...NO_SECRET }, 'invalid_grant'],
  ])('an exchange with %s is refused', async (_what, fields, error) => {
    expectRefusal(await postRaw(base, form({ ...exchangeFields(), ...fields })), [400, error]);
  });

  test.each(['%0a', '%20', '%00'])('a code with %s behind it is not that code', async (tail) => {
    const body = form({ ...exchangeFields(), code: undefined });
    expectRefusal(await postRaw(base, `${body}&code=${code.code}${tail}`), [400, 'invalid_grant']);
  });

  test.each<[string, Fields, string]>([
    ['no refresh_token', { refresh_token: undefined }, 'invalid_request'],
    ['an empty refresh_token', { refresh_token: '' }, 'invalid_request'],
    ['an unknown refresh_token', { refresh_token: long(43) }, 'invalid_grant'],
    ['a refresh_token of 10 kB', { refresh_token: long(10_000) }, 'invalid_grant'],
    ['a refresh_token with a NUL', { refresh_token: '\u0000' }, 'invalid_grant'],
    ['an invalid scope', { scope: 'account:read\u0000' }, 'invalid_scope'],
    ['a wider scope', { scope: 'account:read account:write' }, 'invalid_scope'],
    ["another app's token", { client_id: PUBLIC, ...NO_SECRET }, 'invalid_grant'],
  ])('a refresh with %s is refused', async (_what, fields, error) => {
    expectRefusal(await postRaw(base, form({ ...refreshFields(), ...fields })), [400, error]);
  });

  test('an access token is no refresh token, and a code is neither', async () => {
    for (const value of [String(tokens['access_token']), code.code])
      expectRefusal(await postRaw(base, form({ ...refreshFields(), refresh_token: value })), [
        400,
        'invalid_grant',
      ]);
  });

  test.each(['client_id', 'client_secret', 'grant_type', 'code', 'redirect_uri', 'code_verifier'])(
    '%s twice is invalid_request, equal or not',
    async (name) => {
      const body = form(exchangeFields());
      for (const value of [exchangeFields()[name] ?? '', 'other'])
        expectRefusal(await postRaw(base, `${body}&${form({ [name]: value })}`), [400, 'invalid_request']);
    },
  );

  test.each(['code', 'grant_type', 'client_id'])('%s[] is not %s', async (name) => {
    const body = form({ ...exchangeFields(), [name]: undefined, client_secret: undefined });
    const { status } = await postRaw(base, `${body}&${name}[]=${exchangeFields()[name]}`);
    expect([400, 401]).toContain(status);
  });

  test.each(['client_secret', 'code', 'code_verifier', 'refresh_token', 'token'])(
    '%s in the address is invalid_request, whatever the body says',
    async (name) => {
      const answer = await postRaw(base, form(exchangeFields()), {
        path: `/token?${name}=canary-in-address`,
      });
      expectRefusal(answer, [400, 'invalid_request']);
      expect(answer.text).not.toContain('canary');
    },
  );
});

describe('bodies', () => {
  test.each([
    ['JSON', 'application/json', () => JSON.stringify(exchangeFields())],
    ['JSON with objects', 'application/json', () => '{"client_id":{"$ne":1},"__proto__":{"x":1}}'],
    ['broken JSON', 'application/json', () => '{'],
    ['plain text', 'text/plain', () => form(exchangeFields())],
    ['XML', 'application/xml', () => '<x/>'],
    ['nothing', 'application/x-www-form-urlencoded', () => ''],
    [
      'nested names',
      'application/x-www-form-urlencoded',
      () => 'a[__proto__]=b&a[length]=100000000&client_id[x]=1',
    ],
    ['half an escape', 'application/x-www-form-urlencoded', () => 'grant_type=%zz&code=%'],
    [
      'a thousand parameters first',
      'application/x-www-form-urlencoded',
      () => `${'a=1&'.repeat(1001)}${form(exchangeFields())}`,
    ],
  ])('a body of %s is invalid_request', async (_what, type, body) => {
    const answer = await sendRaw(base, {
      method: 'POST',
      path: '/token',
      headers: { 'content-type': type },
      body: body(),
    });
    expectRefusal(answer, [400, 'invalid_request']);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  test('multipart, no content type and a compressed body are invalid_request', async () => {
    const path = '/token';
    const bodies = [
      multipart(Object.fromEntries(new URLSearchParams(form(exchangeFields())))),
      { body: form(exchangeFields()), headers: {} },
      { ...rawForm('', { 'content-encoding': 'gzip' }), body: gzipSync(form(exchangeFields())) },
    ];
    for (const body of bodies)
      expectRefusal(await sendRaw(base, { method: 'POST', path, ...body }), [400, 'invalid_request']);
  });

  test('a body of one megabyte is refused and not read', async () => {
    const body = `${form(exchangeFields())}&a=${long(1_000_000)}`;
    expectRefusal(await postRaw(base, body), [400, 'invalid_request']);
  });

  test('a browser of another site gets neither tokens nor leave to read', async () => {
    const headers = { origin: 'https://evil.example' };
    expectRefusal(await postRaw(base, form(exchangeFields()), { headers }), [400, 'invalid_request']);
    const nobody = form({ ...exchangeFields(), client_id: 'nobody' });
    expectRefusal(await postRaw(base, nobody, { headers }), [401, 'invalid_client']);
  });

  test('JSON is the answer even for a caller that prefers HTML', async () => {
    const headers = { accept: 'text/html' };
    expectRefusal(await postRaw(base, form({ ...refreshFields(), client_secret: 'wrong' }), { headers }), [
      401,
      'invalid_client',
    ]);
  });
});

/** Runs after all the refusals above, over the same code and the same token. */
describe('after all those refusals', () => {
  test('the code is still good, once, with its five fields and no-store', async () => {
    const answer = await postRaw(base, `${form(exchangeFields())}&unknown=1&unknown=2`);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'account:read posts:read offline_access',
    });
    expect(answer.headers['cache-control']).toContain('no-store');
    expectRefusal(await postRaw(base, form(exchangeFields())), [400, 'invalid_grant']);
  });

  test('the refresh token is still good, and a narrower scope narrows that access token alone', async () => {
    expect(await apiStatus(base, tokens['access_token'])).toBe(200);
    const narrow = await refresh(base, tokens['refresh_token'], { ...secret, scope: 'posts:read' });
    expect([narrow.status, narrow.body['scope']]).toEqual([200, 'posts:read']);
    const whole = await refresh(base, narrow.body['refresh_token'], secret);
    expect(whole.body['scope']).toBe('account:read posts:read offline_access');
    replaceTokens(whole.body);
  });

  test('Basic alone is good too, with the client_id in the body or without', async () => {
    const headers = basic(CONFIDENTIAL, encodeURIComponent(CLIENT_SECRET));
    const first = await postRaw(base, form({ ...refreshFields(), ...NO_SECRET }), { headers });
    expect(first.status).toBe(200);
    replaceTokens(first.json as typeof tokens);
    const bare = form({ ...refreshFields(), ...NO_SECRET, client_id: undefined });
    expect((await postRaw(base, bare, { headers })).status).toBe(200);
  });
});
