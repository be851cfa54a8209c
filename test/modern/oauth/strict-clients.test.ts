import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { CLIENT_SECRET, CONFIDENTIAL, DEMO, open, PUBLIC, REDIRECT_URI, send } from '../support/modern.ts';
import { base, withModern } from '../support/running-modern.ts';
import {
  type Registration,
  type StrictClient,
  withOauth4webapi,
  withOpenidClient,
} from '../support/strict-clients.ts';

const LIBRARIES = { oauth4webapi: withOauth4webapi, 'openid-client': withOpenidClient };
const REGISTRATIONS: Record<string, Registration> = {
  'a public client': { clientId: PUBLIC, method: 'none' },
  'a confidential client': { clientId: CONFIDENTIAL, secret: CLIENT_SECRET, method: 'client_secret_post' },
  'a confidential client by Basic': {
    clientId: CONFIDENTIAL,
    secret: CLIENT_SECRET,
    method: 'client_secret_basic',
  },
};
const names = <T extends object>(table: T) => Object.keys(table) as Array<keyof T & string>;
const rows = names(LIBRARIES).flatMap((library) =>
  names(REGISTRATIONS).map((kind): [string, string] => [library, kind]),
);

const browser = new CookieWalker();
withModern();

function client(library: string, kind: string): Promise<StrictClient> {
  const registration = REGISTRATIONS[kind];
  if (!registration) throw new Error(`no such kind: ${kind}`);
  return LIBRARIES[library as keyof typeof LIBRARIES](base, registration);
}

/** What a person does between the redirect to the server and the redirect back. */
async function decide(url: string, decision: 'allow' | 'deny'): Promise<URL> {
  let page = await open(browser, url);
  if (page.body.includes('name="password"'))
    page = await send(browser, page, { step: 'sign-in', fields: DEMO });
  page = await send(browser, page, { step: 'consent', fields: { decision } });
  expect(page.location).toContain(REDIRECT_URI);
  return new URL(page.location ?? 'about:blank');
}

async function authorized(app: StrictClient, scope = 'account:read offline_access') {
  const request = await app.authorize(scope);
  const tokens = await request.finish(await decide(request.url, 'allow'));
  return { access: tokens.access_token, refresh: tokens.refresh_token ?? '', tokens };
}

describe.each(rows)('%s as %s', (library, kind) => {
  test('goes through code, PKCE, callback with iss, exchange, refresh and revocation', async () => {
    const app = await client(library, kind);
    const first = await authorized(app);
    expect(first.tokens).toMatchObject({ expires_in: 3600, scope: 'account:read offline_access' });
    expect(await app.callApi(first.access)).toBe(200);

    const second = await app.refresh(first.refresh);
    expect(second.refresh_token).toEqual(expect.any(String));
    expect(second.refresh_token).not.toBe(first.refresh);
    expect(await app.callApi(second.access_token)).toBe(200);

    await app.revoke(second.refresh_token ?? '');
    expect(await app.callApi(second.access_token)).toBe(401);
    expect(await app.callApi(first.access)).toBe(401);
    await expect(app.refresh(second.refresh_token ?? '')).rejects.toMatchObject({
      status: 400,
      error: 'invalid_grant',
    });
  });

  test('a refresh token used again kills the grant, and every later call is 401', async () => {
    const app = await client(library, kind);
    const first = await authorized(app);
    const second = await app.refresh(first.refresh);
    const refused = { status: 400, error: 'invalid_grant', error_description: expect.any(String) };
    await expect(app.refresh(first.refresh)).rejects.toMatchObject(refused);
    await expect(app.refresh(second.refresh_token ?? '')).rejects.toMatchObject(refused);
    expect(await app.callApi(second.access_token)).toBe(401);
    expect(await app.callApi(first.access)).toBe(401);
    expect(await app.callApi((await authorized(app)).access)).toBe(200);
  });

  test('a denial arrives as access_denied with its own state and issuer', async () => {
    const app = await client(library, kind);
    const request = await app.authorize('account:read');
    const callback = await decide(request.url, 'deny');
    expect(callback.searchParams.get('iss')).toBe(base);
    await expect(request.finish(callback)).rejects.toMatchObject({ error: 'access_denied' });
  });

  test('a callback with another state, another issuer or none is not accepted', async () => {
    const app = await client(library, kind);
    const request = await app.authorize('account:read');
    const callback = await decide(request.url, 'allow');
    const changed = (change: (query: URLSearchParams) => void) => {
      const copy = new URL(callback);
      change(copy.searchParams);
      return request.finish(copy);
    };
    const unaccepted = { code: 'OAUTH_INVALID_RESPONSE' };
    await expect(changed((query) => query.set('state', 'other'))).rejects.toMatchObject(unaccepted);
    await expect(changed((query) => query.set('iss', 'https://elsewhere.example'))).rejects.toMatchObject(
      unaccepted,
    );
    await expect(changed((query) => query.delete('iss'))).rejects.toMatchObject(unaccepted);
    expect((await request.finish(callback)).access_token).toEqual(expect.any(String));
  });
});

const confidentialRows = rows.filter(([, kind]) => kind !== 'a public client');

test.each(confidentialRows)('%s as %s asks whether a token lives', async (library, kind) => {
  const app = await client(library, kind);
  const { access, refresh } = await authorized(app);
  expect([await app.introspect(access), await app.introspect(refresh)]).toEqual([true, true]);
  await app.revoke(access);
  expect([await app.introspect(access), await app.introspect(refresh)]).toEqual([false, false]);
});

test.each(names(LIBRARIES))('%s as a public client is refused introspection', async (library) => {
  const app = await client(library, 'a public client');
  const { access } = await authorized(app, 'account:read');
  await expect(app.introspect(access)).rejects.toMatchObject({ error: 'unauthorized_client' });
});

test.each(names(LIBRARIES))(
  '%s finds the same endpoints by RFC 8414 and by openid-configuration',
  async (library) => {
    const registration = { clientId: PUBLIC, method: 'none' } as const;
    const [oauth2, oidc] = await Promise.all([
      LIBRARIES[library](base, registration, 'oauth2'),
      LIBRARIES[library](base, registration, 'oidc'),
    ]);
    expect(oidc.endpoints).toMatchObject(oauth2.endpoints);
    expect(oauth2.endpoints).toMatchObject({ issuer: base, token_endpoint: `${base}/token` });
  },
);
