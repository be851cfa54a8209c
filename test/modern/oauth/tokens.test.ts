import { Sqlite } from '../../../src/shared/sqlite.ts';
import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import {
  apiStatus,
  CLIENT_SECRET,
  CONFIDENTIAL,
  consent,
  exchange,
  obtainTokens,
  post,
  PUBLIC,
  REDIRECT_URI,
  refresh,
} from '../support/modern.ts';
import { base, modern, withModern } from '../support/running-modern.ts';
import { basic, expectRefusal, form, postRaw } from '../support/token-requests.ts';

withModern();

const secret = { client_id: CONFIDENTIAL, client_secret: CLIENT_SECRET };

describe('token exchange', () => {
  test('a code and its verifier become the five fields of the token response', async () => {
    const { status, headers, body } = await exchange(base, await consent({ base }));
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toContain('no-store');
    expect(body).toEqual({
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'account:read offline_access',
    });
    expect(await apiStatus(base, body['access_token'])).toBe(200);
  });

  test('without offline_access there is no refresh token', async () => {
    const body = await obtainTokens({ base, parameters: { scope: 'account:read' } });
    expect(body).not.toHaveProperty('refresh_token');
    expect(body['scope']).toBe('account:read');
  });

  test('the stored digest of a secret is not a secret', async () => {
    const db = new Sqlite(modern.settings.databaseFile, { readonly: true });
    const row = db.prepare('select digest from client_secrets where client_id = ?').pluck().get(CONFIDENTIAL);
    db.close();
    const given = await consent({ base, parameters: { client_id: CONFIDENTIAL } });
    expect((await exchange(base, given, { ...secret, client_secret: String(row) })).status).toBe(401);
  });

  test('a code sent twice ends what it was given', async () => {
    const given = await consent({ base });
    const { body } = await exchange(base, given);
    expect((await exchange(base, given)).body['error']).toBe('invalid_grant');
    expect(await apiStatus(base, body['access_token'])).toBe(401);
    expect((await refresh(base, body['refresh_token'])).body['error']).toBe('invalid_grant');
  });
});

test('row T14 codes and tokens hold 256 bits, and none comes twice', async () => {
  const made: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    // oxlint-disable-next-line no-await-in-loop
    const given = await consent({ base });
    // oxlint-disable-next-line no-await-in-loop
    const { body } = await exchange(base, given);
    made.push(given.code, String(body['access_token']), String(body['refresh_token']));
  }
  expect(made.filter((value) => !/^[\w-]{43,}$/.test(value))).toEqual([]);
  expect(new Set(made).size).toBe(15);
});

describe('what is not an access token', () => {
  test('a refresh token and a code are 401 at the main API', async () => {
    const given = await consent({ base });
    expect(await apiStatus(base, given.code)).toBe(401);
    const { body } = await exchange(base, given);
    expect(await apiStatus(base, body['refresh_token'])).toBe(401);
    expect(await apiStatus(base, body['access_token'])).toBe(200);
  });

  test('one in the address or the body is 401: only the header counts', async () => {
    const { access_token: token } = await obtainTokens({ base });
    const query = '{ account { id } }';
    const address = `${base}/graphql?access_token=${String(token)}`;
    const json = { 'content-type': 'application/json' };
    for (const [url, body] of [
      [address, JSON.stringify({ query })],
      [`${base}/graphql`, JSON.stringify({ query, access_token: token })],
    ] as const)
      expect((await fetch(url, { method: 'POST', headers: json, body })).status).toBe(401);
    expect(await apiStatus(base, token)).toBe(200);
  });
});

test('a public app that authenticates by Basic is refused, whatever the secret', async () => {
  const given = await consent({ base });
  const fields = form({
    grant_type: 'authorization_code',
    code: given.code,
    code_verifier: given.verifier,
    redirect_uri: REDIRECT_URI,
  });
  for (const secretOfNobody of ['x', CLIENT_SECRET])
    expectRefusal(await postRaw(base, fields, { headers: basic(PUBLIC, secretOfNobody) }), [
      401,
      'invalid_client',
    ]);
  expect((await exchange(base, given)).status).toBe(200);
});

describe('refresh', () => {
  test('every refresh gives a new pair and spends the old refresh token', async () => {
    const first = await obtainTokens({ base });
    const second = await refresh(base, first['refresh_token']);
    expect(second.status).toBe(200);
    expect(Object.keys(second.body).toSorted()).toEqual(Object.keys(first).toSorted());
    expect(second.body['refresh_token']).not.toBe(first['refresh_token']);
    expect(second.body['access_token']).not.toBe(first['access_token']);
    expect((await refresh(base, second.body['refresh_token'])).status).toBe(200);
  });

  test("another app's refresh token is invalid_grant and stays usable for its own", async () => {
    const { refresh_token: token } = await obtainTokens({ base });
    expect((await refresh(base, token, secret)).body['error']).toBe('invalid_grant');
    expect((await refresh(base, token)).status).toBe(200);
  });
});

describe('consents', () => {
  test('two consents of one person for one app live side by side, and revoking one leaves the other', async () => {
    const browser = new CookieWalker();
    const first = await obtainTokens({ base, browser });
    const second = await obtainTokens({ base, browser });
    const { status } = await post(base, '/token/revocation', {
      client_id: PUBLIC,
      token: String(first['refresh_token']),
    });
    expect(status).toBe(200);
    expect(await apiStatus(base, first['access_token'])).toBe(401);
    expect(await apiStatus(base, second['access_token'])).toBe(200);
    expect((await refresh(base, second['refresh_token'])).status).toBe(200);
  });

  test('a consent without offline_access survives a later one in the same browser', async () => {
    const browser = new CookieWalker();
    const first = await obtainTokens({ base, browser, parameters: { scope: 'account:read' } });
    await obtainTokens({ base, browser });
    expect(await apiStatus(base, first['access_token'])).toBe(200);
  });
});
