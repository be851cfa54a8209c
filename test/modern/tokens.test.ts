import { CookieWalker } from '../support/cookie-walker.ts';
import {
  apiStatus,
  CLIENT_SECRET,
  CONFIDENTIAL,
  consent,
  exchange,
  obtainTokens,
  post,
  PUBLIC,
  refresh,
  type Running,
  runModern,
} from './support/modern.ts';

let modern: Running;
let base: string;
beforeAll(async () => {
  modern = await runModern();
  base = modern.server.url;
});
afterAll(() => modern.stop());

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

  test('a confidential app authenticates by its secret', async () => {
    const parameters = { client_id: CONFIDENTIAL };
    const given = await consent({ base, parameters });
    expect((await exchange(base, given, { ...secret, client_secret: 'wrong' })).status).toBe(401);
    expect((await exchange(base, given, { client_id: CONFIDENTIAL })).status).toBe(401);
    expect((await exchange(base, given, secret)).status).toBe(200);
  });

  test('the stored digest of a secret is not a secret', async () => {
    const { Database } = await import('better-sqlite3').then((module) => ({ Database: module.default }));
    const db = new Database(modern.settings.databaseFile, { readonly: true });
    const row = db.prepare('select digest from client_secrets where client_id = ?').pluck().get(CONFIDENTIAL);
    db.close();
    const given = await consent({ base, parameters: { client_id: CONFIDENTIAL } });
    expect((await exchange(base, given, { ...secret, client_secret: String(row) })).status).toBe(401);
  });

  test.each([
    ['a secret', 'something'],
    ['an empty secret', ''],
  ])('a public app that sends %s is refused', async (_what, value) => {
    const { status, body } = await exchange(base, await consent({ base }), { client_secret: value });
    expect([status, body['error']]).toEqual([401, 'invalid_client']);
    expect(body['error_description']).toBeTruthy();
  });

  test.each([
    ['a wrong verifier', { code_verifier: 'w'.repeat(43) }],
    ['no verifier', { code_verifier: '' }],
    ['another redirect_uri', { redirect_uri: 'http://localhost:45999/other' }],
  ])('%s is invalid_grant and leaves the code usable', async (_what, extra) => {
    const given = await consent({ base });
    const { status, body } = await exchange(base, given, extra);
    expect([status, body['error']]).toEqual([400, 'invalid_grant']);
    expect((await exchange(base, given)).status).toBe(200);
  });

  test('a code sent twice ends what it was given', async () => {
    const given = await consent({ base });
    const { body } = await exchange(base, given);
    expect((await exchange(base, given)).body['error']).toBe('invalid_grant');
    expect(await apiStatus(base, body['access_token'])).toBe(401);
    expect((await refresh(base, body['refresh_token'])).body['error']).toBe('invalid_grant');
  });

  test('errors are JSON even for a caller that prefers HTML', async () => {
    const headers = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' };
    const response = await fetch(`${base}/token`, {
      method: 'POST',
      headers,
      body: 'grant_type=x&client_id=nobody',
    });
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(await response.json()).toEqual({
      error: 'invalid_client',
      error_description: 'client authentication failed',
    });
  });
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

  test('a refresh token that comes a second time ends all tokens of its grant', async () => {
    const first = await obtainTokens({ base });
    const second = await refresh(base, first['refresh_token']);
    const reused = await refresh(base, first['refresh_token']);
    expect([reused.status, reused.body['error']]).toEqual([400, 'invalid_grant']);
    expect(reused.body['error_description']).toBeTruthy();
    expect((await refresh(base, second.body['refresh_token'])).body['error']).toBe('invalid_grant');
    expect(await apiStatus(base, first['access_token'])).toBe(401);
    expect(await apiStatus(base, second.body['access_token'])).toBe(401);
  });

  test.each([2, 8])(
    'of %d refreshes at the same time exactly one succeeds, and the grant ends',
    async (count) => {
      const { refresh_token: token } = await obtainTokens({ base });
      const answers = await Promise.all(Array.from({ length: count }, () => refresh(base, token)));
      const won = answers.filter(({ status }) => status === 200);
      const lost = answers.filter(({ status, body }) => status === 400 && body['error'] === 'invalid_grant');
      expect([won.length, lost.length]).toEqual([1, count - 1]);
      expect(await apiStatus(base, won[0]?.body['access_token'])).toBe(401);
      expect((await refresh(base, won[0]?.body['refresh_token'])).status).toBe(400);
    },
  );

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

  test('revoking an access token ends its whole grant', async () => {
    const tokens = await obtainTokens({ base });
    await post(base, '/token/revocation', { client_id: PUBLIC, token: String(tokens['access_token']) });
    expect((await refresh(base, tokens['refresh_token'])).body['error']).toBe('invalid_grant');
  });
});

describe('introspection', () => {
  test('a confidential app learns whether its own token lives', async () => {
    const given = await consent({ base, parameters: { client_id: CONFIDENTIAL } });
    const { body } = await exchange(base, given, secret);
    const ask = (token: unknown) => post(base, '/token/introspection', { ...secret, token: String(token) });
    expect((await ask(body['refresh_token'])).body).toMatchObject({ active: true, client_id: CONFIDENTIAL });
    await refresh(base, body['refresh_token'], secret);
    expect((await ask(body['refresh_token'])).body).toEqual({ active: false });
    expect((await ask('unknown')).body).toEqual({ active: false });
  });

  test('a public app gets an error and not a false "inactive"', async () => {
    const { access_token: token } = await obtainTokens({ base });
    const { status, body } = await post(base, '/token/introspection', {
      client_id: PUBLIC,
      token: String(token),
    });
    expect([status, body['error']]).toEqual([400, 'unauthorized_client']);
  });
});
