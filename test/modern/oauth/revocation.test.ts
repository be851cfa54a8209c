import { Sqlite } from '../../../src/shared/sqlite.ts';
import { browser, withConsentingBrowser } from '../support/consenting-browser.ts';
import { apiStatus, CLIENT_SECRET, CONFIDENTIAL, consent, exchange, refresh } from '../support/modern.ts';
import { base, modern } from '../support/running-modern.ts';
import {
  type App,
  APPS,
  basic,
  expectRefusal,
  type Fields,
  form,
  kinds,
  postRaw,
} from '../support/token-requests.ts';

withConsentingBrowser();

const [PUBLIC_APP, CONFIDENTIAL_APP]: [App, App] = ['a public app', 'a confidential app'];

async function obtain(kind: App) {
  const given = await consent({ base, browser, parameters: { client_id: APPS[kind].client_id } });
  const { body } = await exchange(base, given, APPS[kind]);
  return { access: String(body['access_token']), refresh: String(body['refresh_token']) };
}

const revoke = (kind: App, fields: Fields) =>
  postRaw(base, form({ ...APPS[kind], ...fields }), { path: '/token/revocation' });
function rename(from: string, to: string): void {
  const db = new Sqlite(modern.settings.databaseFile);
  db.exec(`alter table ${from} rename to ${to}`);
  db.close();
}

const introspect = (kind: App, fields: Fields) =>
  postRaw(base, form({ ...APPS[kind], ...fields }), { path: '/token/introspection' });

async function expectAlive(kind: App, tokens: { access: string; refresh: string }): Promise<void> {
  expect(await apiStatus(base, tokens.access)).toBe(200);
  expect((await refresh(base, tokens.refresh, APPS[kind])).status).toBe(200);
}

async function expectDead(kind: App, tokens: { access: string; refresh: string }): Promise<void> {
  expect(await apiStatus(base, tokens.access)).toBe(401);
  expect((await refresh(base, tokens.refresh, APPS[kind])).body['error']).toBe('invalid_grant');
}

describe('revocation', () => {
  const TOKENS = ['access', 'refresh'] as const;
  const HINTS = [undefined, 'access_token', 'refresh_token', 'something'];
  const rows = kinds.flatMap((kind) =>
    TOKENS.flatMap((which) => HINTS.map((hint) => [which, hint ?? 'no', kind, hint] as const)),
  );

  test.each(rows)(
    'a %s token with %s hint, by %s: 200, empty, and the whole grant is gone',
    async (which, _name, kind, hint) => {
      const tokens = await obtain(kind);
      const { status, text, headers } = await revoke(kind, { token: tokens[which], token_type_hint: hint });
      expect([status, text]).toEqual([200, '']);
      expect(headers['cache-control']).toContain('no-store');
      await expectDead(kind, tokens);
    },
  );

  test.each(['unknown', 'a.b.c', 'x'.repeat(10_000), '\u0000'])(
    'the unknown token %j is 200 and nothing',
    async (token) => {
      const { status, text } = await revoke(PUBLIC_APP, { token });
      expect([status, text]).toEqual([200, '']);
    },
  );

  test('a token that is revoked twice is 200 twice', async () => {
    const { refresh: token } = await obtain(PUBLIC_APP);
    expect((await revoke(PUBLIC_APP, { token })).status).toBe(200);
    expect((await revoke(PUBLIC_APP, { token })).status).toBe(200);
  });

  test.each(TOKENS)("another app's %s token is refused and stays alive", async (which) => {
    const tokens = await obtain(CONFIDENTIAL_APP);
    expectRefusal(await revoke(PUBLIC_APP, { token: tokens[which] }), [400, 'invalid_grant']);
    await expectAlive(CONFIDENTIAL_APP, tokens);
  });

  test('a code is no token to revoke and stays good', async () => {
    const given = await consent({ base, browser });
    expect((await revoke(PUBLIC_APP, { token: given.code })).status).toBe(200);
    expect((await exchange(base, given)).status).toBe(200);
  });

  test.each<[string, App, Fields, [number, string]]>([
    ['no token', PUBLIC_APP, { token: undefined }, [400, 'invalid_request']],
    ['an empty token', PUBLIC_APP, { token: '' }, [400, 'invalid_request']],
    [
      'a confidential app without its secret',
      CONFIDENTIAL_APP,
      { client_secret: undefined },
      [401, 'invalid_client'],
    ],
    [
      'a confidential app with a wrong secret',
      CONFIDENTIAL_APP,
      { client_secret: 'wrong' },
      [401, 'invalid_client'],
    ],
    ['a public app with a secret', PUBLIC_APP, { client_secret: 'x' }, [401, 'invalid_client']],
    ['a public app with an empty secret', PUBLIC_APP, { client_secret: '' }, [401, 'invalid_client']],
    ['an unknown app', PUBLIC_APP, { client_id: 'nobody' }, [401, 'invalid_client']],
    ['no app', PUBLIC_APP, { client_id: undefined }, [400, 'invalid_request']],
  ])('%s is refused and revokes nothing', async (_what, kind, fields, expected) => {
    const tokens = await obtain(kind);
    expectRefusal(await revoke(kind, { token: tokens.refresh, ...fields }), expected);
    await expectAlive(kind, tokens);
  });

  test('a token sent twice or in the address is refused and stays alive', async () => {
    const tokens = await obtain(PUBLIC_APP);
    const twice = `${form({ ...APPS[PUBLIC_APP], token: tokens.refresh })}&token=x`;
    expectRefusal(await postRaw(base, twice, { path: '/token/revocation' }), [400, 'invalid_request']);
    const path = `/token/revocation?token=${tokens.refresh}`;
    expectRefusal(await postRaw(base, form(APPS[PUBLIC_APP]), { path }), [400, 'invalid_request']);
    await expectAlive(PUBLIC_APP, tokens);
  });

  test('a store that fails is 503 with Retry-After and never 200, and the token lives on', async () => {
    const tokens = await obtain(PUBLIC_APP);
    rename('oidc_records', 'away');
    const answer = await revoke(PUBLIC_APP, { token: tokens.refresh });
    rename('away', 'oidc_records');
    expectRefusal(answer, [503, 'server_error']);
    expect(answer.headers['retry-after']).toBe('5');
    await expectAlive(PUBLIC_APP, tokens);
  });

  test('revoking one grant leaves the other grants of the person and the app alone', async () => {
    const [first, second] = [await obtain(PUBLIC_APP), await obtain(PUBLIC_APP)];
    await revoke(PUBLIC_APP, { token: first.refresh });
    await expectDead(PUBLIC_APP, first);
    await expectAlive(PUBLIC_APP, second);
  });
});

describe('introspection', () => {
  test('a living token of the asking app is active, with its scopes and no secret', async () => {
    const tokens = await obtain(CONFIDENTIAL_APP);
    for (const token of [tokens.access, tokens.refresh]) {
      const { status, json, headers } = await introspect(CONFIDENTIAL_APP, { token });
      expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
      expect(json).toMatchObject({
        active: true,
        client_id: CONFIDENTIAL,
        scope: 'account:read offline_access',
        iss: base,
        exp: expect.any(Number),
      });
      expect(JSON.stringify(json)).not.toContain(token);
    }
  });

  test('spent, revoked and unknown tokens are inactive and nothing else', async () => {
    const tokens = await obtain(CONFIDENTIAL_APP);
    const next = (await refresh(base, tokens.refresh, APPS[CONFIDENTIAL_APP])).body;
    const inactive = async (token: unknown) =>
      expect((await introspect(CONFIDENTIAL_APP, { token: String(token) })).json).toEqual({ active: false });
    await inactive(tokens.refresh);
    expect(await apiStatus(base, next['access_token'])).toBe(200);
    await revoke(CONFIDENTIAL_APP, { token: String(next['refresh_token']) });
    for (const token of [next['access_token'], next['refresh_token'], 'unknown', 'a.b.c'])
      await inactive(token);
  });

  test("another app's token is inactive to the one that asks, and stays alive", async () => {
    const tokens = await obtain(PUBLIC_APP);
    for (const token of [tokens.access, tokens.refresh])
      expect((await introspect(CONFIDENTIAL_APP, { token })).json).toEqual({ active: false });
    await expectAlive(PUBLIC_APP, tokens);
  });

  test('a public app is refused, not told "inactive"', async () => {
    const { access } = await obtain(PUBLIC_APP);
    expectRefusal(await introspect(PUBLIC_APP, { token: access }), [400, 'unauthorized_client']);
    expectRefusal(await introspect(PUBLIC_APP, { token: 'unknown' }), [400, 'unauthorized_client']);
  });

  test.each<[string, Fields, [number, string]]>([
    ['without its secret', { client_secret: undefined }, [401, 'invalid_client']],
    ['with a wrong secret', { client_secret: 'wrong' }, [401, 'invalid_client']],
    ['without a token', { token: undefined }, [400, 'invalid_request']],
  ])('a confidential app %s is refused', async (_what, fields, expected) => {
    const { access } = await obtain(CONFIDENTIAL_APP);
    expectRefusal(await introspect(CONFIDENTIAL_APP, { token: access, ...fields }), expected);
  });

  test('a confidential app may authenticate by Basic at both endpoints', async () => {
    const { access, refresh: token } = await obtain(CONFIDENTIAL_APP);
    const headers = basic(CONFIDENTIAL, CLIENT_SECRET);
    const asked = await postRaw(base, form({ token: access }), { path: '/token/introspection', headers });
    expect(asked.json).toMatchObject({ active: true });
    expect((await postRaw(base, form({ token }), { path: '/token/revocation', headers })).status).toBe(200);
    expect(await apiStatus(base, access)).toBe(401);
  });
});
