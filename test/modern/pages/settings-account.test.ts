import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { linkOf } from '../../support/callers/html-forms.ts';
import { accountOf, errorAt, noticeOn, statusesOf } from '../support/account-pages.ts';
import { apiStatus, bytesAtRest, DEMO, obtainTokens, refresh } from '../support/modern.ts';
import { base, browserOfDana, pages, trySignIn, withAccountOfDana } from '../support/running-account.ts';
import { sendForm, signedIn } from '../support/settings.ts';

withAccountOfDana();

describe('the account page', () => {
  test('shows name, e-mail and organizations, and is for people who are signed in alone', async () => {
    const { body } = await browserOfDana.get(pages.account);
    for (const text of ['value="Dana Demo"', DEMO.email, 'Dana’s Bakery', 'Riverside Running Club'])
      expect(body).toContain(text);
    const stranger = await new CookieWalker().get(pages.account);
    expect(stranger.location).toBe('/settings/sign-in?next=%2Fsettings%2Faccount');
  });

  test('a new name shows on the page and in the main API', async () => {
    const { access_token: token } = await obtainTokens({ base, browser: browserOfDana });
    const page = await pages.submit(browserOfDana, 'name', { name: '  Dana <Ďemo> ' });
    expect([page.url, noticeOn(page)]).toEqual([
      `${pages.account}?done=name-changed`,
      'Your name was changed.',
    ]);
    expect(page.body).toContain('value="Dana &lt;Ďemo&gt;"');
    expect((await accountOf(base, token)).name).toBe('Dana <Ďemo>');
  });

  test.each([
    ['empty', ' '],
    ['of two lines', 'Dana\r\nBcc: x'],
    ['too long', 'n'.repeat(101)],
  ])('a name that is %s is refused beside its field, which keeps it', async (_what, name) => {
    const page = await pages.submit(browserOfDana, 'name', { name });
    expect(page.status).toBe(422);
    expect(errorAt(page, 'name')).toContain('1 to 100 characters');
    expect(page.body).toContain('role="alert"');
    expect(page.body).toContain(`value="${name}"`);
  });

  test('the address of a refused form leads back to the page', async () => {
    for (const form of ['name', 'password', 'email', 'email/cancel'])
      expect((await browserOfDana.get(`${pages.account}/${form}`)).location).toBe('/settings/account');
  });
});

describe('a new password', () => {
  test('ends every other session, but neither this one nor the access of apps', async () => {
    const person = pages.newPerson();
    const [here, there] = [await signedIn(base, person), await signedIn(base, person)];
    const tokens = await obtainTokens({ base, browser: there });
    const next = 'a whole new phrase';
    const values = { 'current-password': person.password, 'new-password': next };
    const page = await pages.submit(here, 'password', values);
    expect(noticeOn(page)).toContain('Your password was changed');
    expect(noticeOn(page)).toContain('API keys, clients and connected apps go on working');
    const form = page.body.slice(page.body.indexOf('id="password-heading"'));
    expect(linkOf(form, page.url, /API keys and clients/)).toBe(`${base}/settings/api`);
    expect(linkOf(form, page.url, /connected apps/)).toBe(`${base}/settings/apps`);
    expect(page.body).not.toContain(next);
    const sessions = await Promise.all([here, there, browserOfDana].map((each) => pages.isSignedIn(each)));
    expect(sessions).toEqual([true, false, true]);
    expect(await apiStatus(base, tokens['access_token'])).toBe(200);
    expect((await refresh(base, tokens['refresh_token'])).status).toBe(200);
    expect((await trySignIn(person)).status).toBe(401);
    await signedIn(base, { ...person, password: next });
    expect(bytesAtRest(pages.modern.folder)).not.toContain(next);
  });

  test.each([
    ['too short', 'nine char', 'at least 10'],
    ['too long', 'x'.repeat(257), 'at most 256'],
    ['the e-mail address', DEMO.email.toUpperCase(), 'e-mail address'],
  ])('one that is %s is refused beside its field, and never shown', async (_what, next, problem) => {
    const values = { 'current-password': '', 'new-password': next };
    const page = await pages.submit(browserOfDana, 'password', values);
    expect(page.status).toBe(422);
    expect(errorAt(page, 'new-password')).toContain(problem);
    expect(errorAt(page, 'current-password')).toContain('Enter your current password');
    expect(page.body).not.toContain(next);
  });

  test('of two that are set at the same time one wins', async () => {
    const person = pages.newPerson();
    const browser = await signedIn(base, person);
    const page = await browser.get(pages.account);
    const wishes = ['first of two phrases', 'second of two phrases'];
    const answers = await Promise.all(
      wishes.map((next) =>
        sendForm(browser, page, {
          action: '/settings/account/password',
          values: { 'current-password': person.password, 'new-password': next },
        }),
      ),
    );
    expect(statusesOf(answers)).toEqual([303, 422]);
    const winner = answers.findIndex((answer) => answer.status === 303);
    await signedIn(base, { ...person, password: wishes[winner] ?? '' });
  });

  test('guessing the current one is braked, over both forms that ask for it', async () => {
    const person = pages.newPerson();
    const browser = await signedIn(base, person);
    const guess = (form: string) =>
      pages.submit(browser, form, {
        'current-password': 'a wrong one',
        'new-password': 'long enough for a password',
        email: 'guess@box.example',
        'email-password': 'a wrong one',
      });
    const wrong = await guess('password');
    expect([wrong.status, errorAt(wrong, 'current-password')]).toEqual([
      422,
      'This is not your current password.',
    ]);
    await Promise.all(Array.from({ length: 9 }, (_, index) => guess(index % 2 ? 'email' : 'password')));
    const limited = await guess('email');
    expect(limited.status).toBe(429);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(errorAt(limited, 'email-password')).toContain('Too many attempts');
  });
});
