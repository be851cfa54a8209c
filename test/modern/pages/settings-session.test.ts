import { CookieWalker, type Page } from '../../support/callers/cookie-walker.ts';
import { authorizationUrl, DEMO, open, SECOND, send } from '../support/modern.ts';
import { base } from '../support/running-modern.ts';
import { dana, withDana } from '../support/settings-people.ts';
import { csrfOf, sendForm, signedIn, signInToSettings, valueOf } from '../support/settings.ts';

/** Dana stays signed in: what would sign her out is refused. */
withDana();

const SAME_SITE = { 'sec-fetch-site': 'same-origin' };
async function signOutForm(browser = dana) {
  const csrf = csrfOf(await browser.get(`${base}/settings/api`));
  const stillSignedIn = async () => (await browser.get(`${base}/settings/api`)).status === 200;
  return { browser, csrf, stillSignedIn };
}

const asksForPassword = (page: Page) => page.body.includes('name="password"');

describe('signing in to the settings', () => {
  test.each([
    ['/settings/api', '?next=%2Fsettings%2Fapi'],
    ['/settings/apps', '?next=%2Fsettings%2Fapps'],
    ['/settings/api/clients/new', '?next=%2Fsettings%2Fapi%2Fclients%2Fnew'],
  ])('%s sends a stranger to sign in first, and then back', async (path, query) => {
    const browser = new CookieWalker();
    const asked = await browser.get(base + path);
    expect([asked.status, asked.location]).toEqual([303, `/settings/sign-in${query}`]);
    const form = await browser.follow(asked);
    expect(valueOf(form, 'next')).toBe(path);
    expect((await dana.get(form.url)).location).toBe(path);
  });

  test('the start of the settings leads to the API page', async () => {
    const answer = await dana.get(`${base}/settings`);
    expect([answer.status, answer.location]).toEqual([303, '/settings/api']);
  });

  test.each([
    'https://evil.example/',
    '//evil.example/settings/api',
    '/settings/../auth',
    '/settings/api?x=https://evil.example',
    '/settings/api\\evil',
    '/settings/sign-out',
    '/settings/api\nx',
    '/settings/api/' + 'x'.repeat(65),
    '/settings/api&next=/settings/apps',
  ])('%j is no place to go back to', async (next) => {
    const address = `${base}/settings/sign-in?next=${encodeURIComponent(next)}`;
    const form = await new CookieWalker().get(address);
    expect(valueOf(form, 'next')).toBe('/settings/api');
    expect((await dana.get(address)).location).toBe('/settings/api');
  });

  test('nor is what somebody wrote into the form', async () => {
    const browser = new CookieWalker();
    const form = await browser.get(`${base}/settings/sign-in`);
    const values = { ...DEMO, next: 'https://evil.example/' };
    const { location } = await sendForm(browser, form, { action: '/settings/sign-in', values });
    expect(location).toBe('/settings/api');
  });

  test('a wrong password is told with the e-mail kept, and no session begins', async () => {
    const browser = new CookieWalker();
    const person = { email: 'second@grantbridge.example', password: 'wrong' };
    const again = await signInToSettings(browser, base, { person });
    expect(again.status).toBe(401);
    expect(again.body).toContain('value="second@grantbridge.example"');
    expect(browser.cookie('modern_session')).toBeUndefined();
  });

  test('guesses here and at /auth are counted together', async () => {
    const person = { email: 'nobody@grantbridge.example', password: 'wrong' };
    const browser = new CookieWalker();
    const page = await open(browser, authorizationUrl(base));
    for (let attempt = 0; attempt < 5; attempt++) {
      await send(browser, page, { step: 'sign-in', fields: person });
      await signInToSettings(browser, base, { person });
    }
    const limited = await signInToSettings(browser, base, { person });
    expect(limited.status).toBe(429);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('the sign-in form shows the demo credentials and offers no cancelling', async () => {
    const page = await new CookieWalker().get(`${base}/settings/sign-in`);
    expect(page.body).toContain(DEMO.password);
    expect(page.body).not.toContain('Cancel');
  });

  test('it begins a new session: an id that was planted before is worth nothing', async () => {
    const attacker = await signedIn(base, SECOND);
    const planted = attacker.cookieHeader(`${base}/settings`);
    const page = await attacker.get(`${base}/settings/api`);
    const signOut = { csrf: csrfOf(page) };
    const victim = new CookieWalker();
    const form = await victim.get(`${base}/settings/sign-in`, {});
    const cookie = [planted.replace(/modern_form=[\w-]+(; )?/, ''), victim.cookieHeader(form.url)].join('; ');
    const answer = await fetch(`${base}/settings/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...SAME_SITE, cookie },
      body: new URLSearchParams({ ...DEMO, csrf: csrfOf(form) }),
    });
    expect(answer.status).toBe(303);
    const fresh = answer.headers.getSetCookie().find((line) => line.startsWith('modern_session='));
    expect(planted).not.toContain(fresh?.split(';')[0]);
    expect((await attacker.get(`${base}/settings/api`)).status).toBe(303);
    expect((await attacker.post(`${base}/settings/sign-out`, signOut, SAME_SITE)).location).toBe(
      '/settings/sign-in',
    );
  });
});

describe('one session for the settings and for /auth', () => {
  test('who is signed in to the settings sees the consent page at once', async () => {
    const page = await open(await signedIn(base), authorizationUrl(base));
    expect(page.body).toContain('Dana Demo');
    expect(asksForPassword(page)).toBe(false);
  });

  test('who signed in at /auth is signed in to the settings', async () => {
    const browser = new CookieWalker();
    const page = await open(browser, authorizationUrl(base));
    await send(browser, page, { step: 'sign-in', fields: DEMO });
    expect((await browser.get(`${base}/settings/api`)).status).toBe(200);
    expect((await browser.get(`${base}/settings/sign-in`)).location).toBe('/settings/api');
  });

  test('signing out ends it: the row is gone, the cookie is taken back, /auth asks again', async () => {
    const browser = await signedIn(base);
    const stolen = browser.cookieHeader(`${base}/settings`);
    const page = await browser.get(`${base}/settings/api`);
    const out = await sendForm(browser, page, { action: '/settings/sign-out' });
    expect([out.status, out.location]).toEqual([303, '/settings/sign-in?done=signed-out']);
    expect((await browser.follow(out)).body).toMatch(/role="status"><p>You are signed out/);
    expect(browser.cookie('modern_session')).toBeUndefined();
    const replayed = await fetch(`${base}/settings/api`, { headers: { cookie: stolen }, redirect: 'manual' });
    expect(replayed.status).toBe(303);
    expect(asksForPassword(await open(browser, authorizationUrl(base)))).toBe(true);
  });

  test('an /auth page that was open before somebody else signed in here still signs in its own person', async () => {
    const browser = new CookieWalker();
    const page = await open(browser, authorizationUrl(base));
    await signInToSettings(browser, base, { person: SECOND });
    const asked = await send(browser, page, { step: 'sign-in', fields: DEMO });
    expect(asked.body).toContain('Dana Demo');
    expect((await browser.get(`${base}/settings/api`)).body).toContain('Dana Demo');
  });

  test('a consent page of a session that was ended cannot allow anything any more', async () => {
    const browser = await signedIn(base);
    const asked = await open(browser, authorizationUrl(base));
    const page = await browser.get(`${base}/settings/api`);
    await sendForm(browser, page, { action: '/settings/sign-out' });
    const allowed = await send(browser, asked, { step: 'consent', fields: { decision: 'allow' } });
    expect(allowed.location).toBeUndefined();
    expect(allowed.body).toContain('expired');
  });
});

describe('a form of the settings', () => {
  test.each([
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from a neighbouring site', { 'sec-fetch-site': 'same-site' }],
    ['with the origin of another site', { origin: 'https://evil.example' }],
  ])('that comes %s is refused with a page, and nothing happens', async (_what, headers) => {
    const { browser, csrf, stillSignedIn } = await signOutForm();
    const answer = await browser.post(`${base}/settings/sign-out`, { csrf }, headers);
    expect(answer.status).toBe(403);
    expect(answer.body).toContain('Connected apps');
    expect(await stillSignedIn()).toBe(true);
  });

  test.each(['', 'wrong', 'x'.repeat(43), undefined])(
    'with the csrf value %j is refused even without an origin',
    async (csrf) => {
      const { browser, stillSignedIn } = await signOutForm();
      const fields: Record<string, string> = csrf === undefined ? {} : { csrf };
      const answer = await browser.post(`${base}/settings/sign-out`, fields, { origin: 'null' });
      expect(answer.status).toBe(403);
      expect(await stillSignedIn()).toBe(true);
    },
  );

  test('with the csrf value of another session, or of the sign-in page, is refused', async () => {
    const { browser, stillSignedIn } = await signOutForm();
    const other = await signOutForm(await signedIn(base));
    const ofBrowser = csrfOf(await new CookieWalker().get(`${base}/settings/sign-in`));
    for (const csrf of [other.csrf, ofBrowser])
      expect((await browser.post(`${base}/settings/sign-out`, { csrf }, SAME_SITE)).status).toBe(403);
    expect(await stillSignedIn()).toBe(true);
  });

  test('a sign-in form of another browser is refused, so nobody is signed in as somebody else', async () => {
    const attacker = await new CookieWalker().get(`${base}/settings/sign-in`);
    const victim = new CookieWalker();
    const fields = { ...SECOND, csrf: csrfOf(attacker) };
    const answer = await victim.post(`${base}/settings/sign-in`, fields, { origin: 'null' });
    expect(answer.status).toBe(403);
    expect(victim.cookie('modern_session')).toBeUndefined();
  });

  test.each([
    ['a field twice', 'csrf=CSRF&csrf=CSRF', 400],
    ['another field twice', 'csrf=CSRF&x=1&x=2', 400],
    ['too many fields', `csrf=CSRF&${Array.from({ length: 30 }, (_, i) => `f${i}=1`).join('&')}`, 413],
    ['a body of 100 kB', `csrf=CSRF&x=${'x'.repeat(100_000)}`, 413],
    ['no fields', '', 403],
  ])('with %s is refused with a page', async (_what, body, status) => {
    const { browser, csrf, stillSignedIn } = await signOutForm();
    const answer = await fetch(`${base}/settings/sign-out`, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        ...SAME_SITE,
        cookie: browser.cookieHeader(`${base}/settings`),
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: body.replaceAll('CSRF', csrf),
    });
    expect(answer.status).toBe(status);
    expect(await answer.text()).toContain('Nothing was changed');
    expect(await stillSignedIn()).toBe(true);
  });

  test('that is refused leaves a page whose sign-out works', async () => {
    const browser = await signedIn(base);
    const refused = await browser.post(`${base}/settings/api/keys/new`, { csrf: 'wrong' }, SAME_SITE);
    const foreign = await browser.post(refused.url, {}, { 'sec-fetch-site': 'cross-site' });
    const missing = await browser.get(`${base}/settings/nowhere`);
    expect([refused.status, foreign.status, missing.status]).toEqual([403, 403, 404]);
    expect(csrfOf(foreign)).toBe(csrfOf(refused));
    expect(csrfOf(missing)).toBe(csrfOf(refused));
    const out = await sendForm(browser, foreign, { action: '/settings/sign-out' });
    expect(out.location).toBe('/settings/sign-in?done=signed-out');
  });

  test.each(['/settings/api/keys/new', '/settings/account/name'])(
    'sent to %s after the session ended is not lost without a word, and signing in leads back',
    async (path) => {
      const { browser, csrf } = await signOutForm(await signedIn(base));
      await browser.post(`${base}/settings/sign-out`, { csrf }, SAME_SITE);
      const late = await browser.post(base + path, { csrf, name: 'Late' }, SAME_SITE);
      expect(late.status).toBe(303);
      const asked = await browser.follow(late);
      expect(asked.body).toContain('You were signed out, so what you sent was not saved.');
      const back = await sendForm(browser, asked, { action: '/settings/sign-in', values: DEMO });
      expect(back.location).toBe(path);
    },
  );

  test('sent again after signing out leads to the sign-in page', async () => {
    const { browser, csrf } = await signOutForm(await signedIn(base));
    await browser.post(`${base}/settings/sign-out`, { csrf }, SAME_SITE);
    const again = await browser.post(`${base}/settings/sign-out`, { csrf }, SAME_SITE);
    expect([again.status, again.location]).toEqual([303, '/settings/sign-in']);
  });
});

describe('a page that cannot be read', () => {
  test.each([
    ['a form of 100 kB at /interaction', '/interaction/x/sign-in', `email=${'x'.repeat(100_000)}`, 413],
    ['too many fields at /interaction', '/interaction/x/sign-in', 'a&'.repeat(50), 413],
    ['a broken escape in the address', '/settings/api/keys/%E0%A4%A/delete', '', 400],
  ])('because of %s is the fault of the browser, not of the server', async (_what, path, body, status) => {
    const headers = { ...SAME_SITE, 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await fetch(base + path, { method: 'POST', headers, body });
    expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining('<h1>')]);
  });
});
