import { Sqlite } from '../../../src/shared/sqlite.ts';
import { CookieWalker, type Page } from '../../support/callers/cookie-walker.ts';
import { sendRaw } from '../../support/callers/raw-request.ts';
import {
  authorizationUrl,
  CONFIDENTIAL,
  consent,
  DEMO,
  exchange,
  graphql,
  open,
  type Parameters,
  PUBLIC,
  REDIRECT_URI,
  SECOND,
  send,
} from '../support/modern.ts';
import { base, modern, withModern } from '../support/running-modern.ts';

withModern();

// RFC 7636 appendix B.
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

const path = () => authorizationUrl('', { scope: 'account:read' });

/** How many grants and codes there are: what a refused consent must not add to. */
function grants(): number {
  const db = new Sqlite(modern.settings.databaseFile, { readonly: true });
  const count = db
    .prepare<[], number>("select count(*) from oidc_records where kind in ('Grant', 'AuthorizationCode')")
    .pluck()
    .get();
  db.close();
  return count ?? 0;
}

/** A browser at the consent page. */
async function atConsent(parameters: Parameters = {}, person = DEMO) {
  const browser = new CookieWalker();
  const page = await open(browser, authorizationUrl(base, parameters));
  return { browser, page: await send(browser, page, { step: 'sign-in', fields: person }) };
}

const allow = (browser: CookieWalker, page: Page, more: Record<string, string> = {}) =>
  send(browser, page, { step: 'consent', fields: { ...more, decision: 'allow' } });

const answerOf = ({ location }: Page) => new URL(location ?? 'about:blank').searchParams;

describe('one authorization, one outcome', () => {
  test('denied, then back and allowed: the denial stands', async () => {
    const { browser, page } = await atConsent();
    const before = grants();
    const denied = await send(browser, page, { step: 'consent', fields: { decision: 'deny' } });
    expect(answerOf(denied).get('error')).toBe('access_denied');
    const again = await allow(browser, page);
    expect([again.status, again.location]).toEqual([400, undefined]);
    expect(again.body).toContain('expired');
    expect(grants()).toBe(before);
  });

  test('allowed, then back and denied: the code stays good', async () => {
    const { browser, page } = await atConsent({ code_challenge: CHALLENGE });
    const code = answerOf(await allow(browser, page)).get('code') ?? '';
    const denied = await send(browser, page, { step: 'consent', fields: { decision: 'deny' } });
    expect([denied.status, denied.location]).toEqual([400, undefined]);
    expect((await exchange(base, { code, verifier: VERIFIER })).status).toBe(200);
  });

  test('a decision that is neither allow nor deny is a denial', async () => {
    for (const fields of [{ decision: 'ALLOW' }, { decision: '' }, {}]) {
      const { browser, page } = await atConsent();
      const answer = await send(browser, page, { step: 'consent', fields });
      expect(answerOf(answer).get('error')).toBe('access_denied');
    }
  });

  test('a second request of the same app shows the consent page again, for each kind of app', async () => {
    for (const client_id of [PUBLIC, CONFIDENTIAL]) {
      const browser = new CookieWalker();
      await consent({ base, browser, parameters: { client_id } });
      const page = await open(browser, authorizationUrl(base, { client_id, prompt: undefined }));
      expect(page.body).toContain('name="decision"');
    }
  });

  test('HEAD with a live session and an earlier consent gives no code and no consent', async () => {
    const browser = new CookieWalker();
    await consent({ base, browser });
    const page = await open(browser, authorizationUrl(base));
    const before = grants();
    for (const url of [authorizationUrl(base), page.url]) {
      const { status, headers } = await fetch(url, {
        method: 'HEAD',
        redirect: 'manual',
        headers: { cookie: browser.cookieHeader(url) },
      });
      expect([status, headers.get('location')]).toEqual([405, null]);
    }
    expect(grants()).toBe(before);
  });
});

describe('what a form brings along', () => {
  test('fields beside the decision change neither app, address, scope nor challenge', async () => {
    const { browser, page } = await atConsent({ scope: 'account:read', code_challenge: CHALLENGE });
    const answer = await allow(browser, page, {
      client_id: CONFIDENTIAL,
      redirect_uri: 'https://evil.example',
      scope: 'account:read account:write',
      account_id: '2',
      code_challenge: 'x'.repeat(43),
      grantId: 'x',
    });
    expect(answer.location?.split('?')[0]).toBe(REDIRECT_URI);
    const code = answerOf(answer).get('code') ?? '';
    const { status, body } = await exchange(base, { code, verifier: VERIFIER });
    expect([status, body['scope']]).toEqual([200, 'account:read']);
    const query = '{ account { connectedApps { clientId scopes } } }';
    const { body: told } = await graphql(base, `Bearer ${body['access_token']}`, { query });
    expect(told.data.account.connectedApps).toContainEqual({ clientId: PUBLIC, scopes: expect.any(Array) });
    expect(JSON.stringify(told)).not.toContain('account:write');
  });

  test('extra fields of the sign-in form make nobody else', async () => {
    const browser = new CookieWalker();
    const page = await open(browser, authorizationUrl(base));
    const fields = { ...SECOND, accountId: 'x', account_id: 'x', role: 'admin', admin: '1' };
    const asked = await send(browser, page, { step: 'sign-in', fields });
    expect(asked.body).toContain(SECOND.email);
    expect(asked.body).not.toContain(DEMO.email);
  });

  test('a form too large or with too many fields is refused and grants nothing', async () => {
    const { browser, page } = await atConsent();
    const before = grants();
    const many = Object.fromEntries(Array.from({ length: 30 }, (_none, index) => [`f${index}`, 'x']));
    for (const fields of [
      { decision: 'allow', x: 'x'.repeat(20_000) },
      { decision: 'allow', ...many },
    ]) {
      const { status, location } = await browser.post(`${page.url}/consent`, fields, {
        'sec-fetch-site': 'same-origin',
      });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
      expect(location).toBeUndefined();
    }
    expect(grants()).toBe(before);
  });
});

describe('sessions and interactions', () => {
  test('the session id changes at sign-in, and the one from before is nobody', async () => {
    const browser = new CookieWalker();
    const page = await open(browser, authorizationUrl(base));
    const before = browser.cookieHeader(`${base}/auth`);
    await send(browser, page, { step: 'sign-in', fields: DEMO });
    const after = browser.cookie('modern_session');
    expect(after).toEqual(expect.any(String));
    expect(before).not.toContain(String(after));
    const replayed = await new CookieWalker().get(authorizationUrl(base, { prompt: 'none' }), {
      cookie: before,
    });
    expect(answerOf(replayed).get('error')).toBe('login_required');
  });

  test('the session id changes when another person signs in, and the earlier one is nobody', async () => {
    const { browser, page } = await atConsent({}, SECOND);
    const before = browser.cookieHeader(`${base}/auth`);
    const signIn = await send(browser, page, { step: 'switch' });
    const asked = await send(browser, signIn, { step: 'sign-in', fields: DEMO });
    expect(asked.body).toContain(DEMO.email);
    expect(before).not.toContain(String(browser.cookie('modern_session')));
    const replayed = await new CookieWalker().get(authorizationUrl(base, { prompt: 'none' }), {
      cookie: before,
    });
    expect(answerOf(replayed).get('error')).toBe('login_required');
  });

  test('a planted, unsigned session cookie is nobody and is not taken over', async () => {
    const planted = 'modern_session=planted-by-somebody; modern_interaction=planted; modern_resume=planted';
    const answer = await new CookieWalker().get(authorizationUrl(base, { prompt: 'none' }), {
      cookie: planted,
    });
    expect(answerOf(answer).get('error')).toBe('login_required');
    expect(answer.headers.getSetCookie().join('\n')).not.toContain('planted');
  });

  test("another person's interaction can neither be seen, decided nor resumed", async () => {
    const victim = await atConsent({}, SECOND);
    const attacker = await atConsent();
    const before = grants();
    const uid = new URL(victim.page.url).pathname.split('/').at(-1) ?? '';
    const tries = [
      await attacker.browser.get(victim.page.url),
      await attacker.browser.get(`${base}/auth/${uid}`),
      await attacker.browser.post(
        `${victim.page.url}/consent`,
        { decision: 'allow' },
        {
          'sec-fetch-site': 'same-origin',
        },
      ),
      await attacker.browser.post(`${victim.page.url}/cancel`, {}, { 'sec-fetch-site': 'same-origin' }),
    ];
    for (const { status, location, body } of tries) {
      expect([status, location]).toEqual([400, undefined]);
      expect(body).not.toContain(SECOND.email);
    }
    expect(grants()).toBe(before);
    expect(answerOf(await allow(victim.browser, victim.page)).get('code')).toEqual(expect.any(String));
  });

  test('a resumed address without a decision shows the page again and gives no code', async () => {
    const { browser, page } = await atConsent();
    const uid = new URL(page.url).pathname.split('/').at(-1) ?? '';
    const resumed = await browser.follow(await browser.get(`${base}/auth/${uid}`), REDIRECT_URI);
    expect(resumed.location).toBeUndefined();
  });

  test('a decision sent by GET decides nothing', async () => {
    const { browser, page } = await atConsent();
    const before = grants();
    const { status, location } = await browser.get(`${page.url}/consent?decision=allow`);
    expect([status, location]).toEqual([404, undefined]);
    expect(grants()).toBe(before);
  });
});

describe('what surrounds a request', () => {
  test.each([
    ['Host', { host: 'evil.example' }],
    ['X-Forwarded-Host', { 'x-forwarded-host': 'evil.example' }],
    ['X-Forwarded-Proto', { 'x-forwarded-proto': 'https' }],
    ['X-Original-URL and X-Forwarded-Uri', { 'x-original-url': '/evil', 'x-forwarded-uri': '/evil' }],
    ['Forwarded', { forwarded: 'host=evil.example;proto=https' }],
  ])('%s changes neither redirect, cookie nor issuer', async (_what, given) => {
    const headers = given as Record<string, string>;
    const started = await sendRaw(base, { path: path(), headers });
    expect([started.status, started.headers.location]).toEqual([
      303,
      expect.stringMatching(/^\/interaction\//),
    ]);
    // Not the word alone: the random values of the cookies may hold it.
    expect(JSON.stringify(started.headers)).not.toMatch(/evil\.example|(?:\/|%2f)evil|domain=|; secure/i);
    const refused = await sendRaw(base, { path: authorizationUrl('', { scope: 'x' }), headers });
    expect(new URL(refused.headers.location ?? '').searchParams.get('iss')).toBe(base);
  });

  test('a script of another site may read neither a page nor a redirect', async () => {
    for (const method of ['GET', 'OPTIONS']) {
      const { headers } = await sendRaw(base, {
        method,
        path: path(),
        headers: { origin: 'https://evil.example' },
      });
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });

  test('cookies are kept from scripts and from other sites', async () => {
    const { headers } = await sendRaw(base, { path: path() });
    const cookies = headers['set-cookie'] ?? [];
    expect(cookies.length).toBeGreaterThan(0);
    for (const cookie of cookies) expect(cookie).toMatch(/httponly/i);
    for (const cookie of cookies) expect(cookie).toMatch(/samesite=lax/i);
  });

  test('no page of the way may be framed, and no redirect says where it came from', async () => {
    const { browser, page } = await atConsent();
    const back = await allow(browser, page);
    const pages = [page, await new CookieWalker().get(authorizationUrl(base, { client_id: 'nobody' })), back];
    for (const { headers } of pages) {
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('content-security-policy')).not.toContain('form-action');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cache-control')).toContain('no-store');
    }
    expect(back.status).toBe(303);
  });

  test.each(['/AUTH', '/auth/', '//auth', '/%61uth', '/auth;x'])(
    '%s is not the authorization endpoint',
    async (other) => {
      const { status, headers } = await sendRaw(base, { path: path().replace('/auth', other) });
      expect(headers.location).toBeUndefined();
      expect(status).toBe(404);
    },
  );
});
