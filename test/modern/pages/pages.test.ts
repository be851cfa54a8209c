import { scopes, scopeWords } from '../../../src/modern/scopes.ts';
import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { authorizationUrl, DEMO, open, press, REDIRECT_URI, SECOND, send } from '../support/modern.ts';
import { base, withModern } from '../support/running-modern.ts';

withModern();

async function start(scope = 'account:read') {
  const browser = new CookieWalker();
  return { browser, page: await open(browser, authorizationUrl(base, { scope })) };
}

describe('sign-in and consent pages', () => {
  test('a wrong password shows the page again with the e-mail kept', async () => {
    const { browser, page } = await start();
    const again = await send(browser, page, {
      step: 'sign-in',
      fields: { email: DEMO.email, password: 'wrong' },
    });
    expect(again.status).toBe(401);
    expect(again.body).toContain(`value="${DEMO.email}"`);
    expect(again.body).toContain('do not match');
  });

  test('an unknown e-mail gets the same answer as a wrong password', async () => {
    const { browser, page } = await start();
    const known = await send(browser, page, {
      step: 'sign-in',
      fields: { email: DEMO.email, password: 'wrong' },
    });
    const unknown = await send(browser, page, {
      step: 'sign-in',
      fields: {
        email: 'nobody@grantbridge.example',
        password: 'wrong',
      },
    });
    expect(unknown.status).toBe(known.status);
    expect(unknown.body.replaceAll('nobody@', 'demo@')).toBe(known.body);
  });

  test('after ten wrong passwords the eleventh try has to wait, even with the right one', async () => {
    const { browser, page } = await start();
    const wrong = { email: SECOND.email, password: 'wrong' };
    for (let attempt = 0; attempt < 10; attempt++)
      await send(browser, page, { step: 'sign-in', fields: wrong });
    const limited = await send(browser, page, { step: 'sign-in', fields: SECOND });
    expect(limited.status).toBe(429);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('the consent page names the app and each permission in words, escaped', async () => {
    const { browser, page } = await start('account:read posts:write offline_access');
    const asked = await send(browser, page, { step: 'sign-in', fields: DEMO });
    expect(asked.body).toContain('Public &lt;App&gt;');
    expect(asked.body).not.toContain('<App>');
    expect(asked.body).toContain('See your account, organizations and channels');
    expect(asked.body).toContain('Create and manage posts for you');
    expect(asked.body).toContain('Stay connected');
    expect(asked.body).not.toContain('Change your account settings');
    expect(asked.body).toContain('Dana Demo');
  });

  test('each of the nine scopes has its own words on the consent page, and nothing else stands there', async () => {
    const { browser, page } = await start(scopes.join(' '));
    const asked = await send(browser, page, { step: 'sign-in', fields: DEMO });
    const shown = [...asked.body.matchAll(/<li>([^<]*)<\/li>/g)].map((match) => match[1]);
    expect(shown).toEqual(Object.values(scopeWords));
    expect(new Set(shown).size).toBe(9);
  });

  test('every form is answered with 303, so that no browser sends it on', async () => {
    const begun = await start();
    const { browser } = begun;
    let { page } = begun;
    const steps = [
      { step: 'sign-in', fields: DEMO },
      { step: 'switch' },
      { step: 'sign-in', fields: DEMO },
      { step: 'consent', fields: { decision: 'allow' } },
      { step: 'consent', fields: { decision: 'deny' } },
      { step: 'cancel' },
    ] as const;
    for (const step of steps) {
      const answer = await press(browser, page, step);
      expect([step, answer.status]).toEqual([step, 303]);
      page = await browser.follow(answer, REDIRECT_URI);
      if (page.location !== undefined) page = await open(browser, authorizationUrl(base));
    }
  });

  test('another account can be used instead of the signed-in one', async () => {
    const { browser, page } = await start();
    const asked = await send(browser, page, { step: 'sign-in', fields: DEMO });
    const signIn = await send(browser, asked, { step: 'switch' });
    expect(signIn.body).toContain('name="password"');
  });

  test.each([
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from a neighbouring site', { 'sec-fetch-site': 'same-site' }],
    ['with the origin of another site', { origin: 'https://evil.example' }],
  ])('a form sent %s is refused', async (_what, headers) => {
    const { browser, page } = await start();
    const answer = await browser.post(`${page.url}/sign-in`, DEMO, headers);
    expect(answer.status).toBe(403);
  });

  test('an interaction address without its cookie is an expired page', async () => {
    const { page } = await start();
    const stranger = await new CookieWalker().get(page.url);
    expect(stranger.status).toBe(400);
    expect(stranger.body).toContain('expired');
  });

  test('a consent cannot be given twice', async () => {
    const { browser, page } = await start();
    const asked = await send(browser, page, { step: 'sign-in', fields: DEMO });
    await send(browser, asked, { step: 'consent', fields: { decision: 'allow' } });
    const again = await send(browser, asked, { step: 'consent', fields: { decision: 'allow' } });
    expect(again.location).toBeUndefined();
    expect(again.body).toContain('expired');
  });

  test('pages carry the security headers and are not stored', async () => {
    const { page } = await start();
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('the style sheet, the welcome page and a missing page are served', async () => {
    const style = await fetch(`${base}/assets/style.css`);
    expect([style.status, style.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
    expect((await fetch(`${base}/`)).status).toBe(200);
    expect((await fetch(`${base}/nowhere`)).status).toBe(404);
  });
});
