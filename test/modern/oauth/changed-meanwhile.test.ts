import { Sqlite } from '../../../src/shared/sqlite.ts';
import { CookieWalker, type Page } from '../../support/callers/cookie-walker.ts';
import { authorizationUrl, DEMO, open, PUBLIC, REDIRECT_URI, SECOND, send } from '../support/modern.ts';
import { base, modern, withModernPerTest } from '../support/running-modern.ts';
import { sendForm, signedIn } from '../support/settings.ts';

withModernPerTest();

function write(sql: string, ...values: string[]): void {
  const db = new Sqlite(modern.settings.databaseFile);
  db.prepare(sql).run(...values);
  db.close();
}

function grants(): number {
  const db = new Sqlite(modern.settings.databaseFile, { readonly: true });
  const count = db.prepare("select count(*) from oidc_records where kind = 'Grant'").pluck().get();
  db.close();
  return Number(count);
}

/** The consent page, open in a browser of its own. */
async function openConsent(): Promise<{ browser: CookieWalker; page: Page }> {
  const browser = await signedIn(base);
  return { browser, page: await open(browser, authorizationUrl(base)) };
}

/** Sends the consent form, and follows nothing. */
const decide = (browser: CookieWalker, page: Page, decision: string) =>
  browser.post(`${page.url}/consent`, { decision }, { 'sec-fetch-site': 'same-origin' });

const deleteClient = () => write('delete from clients where client_id = ?', PUBLIC);
const takeOutAddress = () =>
  write('update clients set redirect_uris = ? where client_id = ?', '["https://new.example/cb"]', PUBLIC);

describe.each([
  ['an app that was deleted', deleteClient, 'We do not know this app'],
  ['an address that was taken out', takeOutAddress, 'This link is not safe to follow'],
])('while the consent page is open, %s', (_what, change, words) => {
  test('is asked for no more, gets no grant and no code', async () => {
    const { browser, page } = await openConsent();
    change();
    for (const answer of [await browser.get(page.url), await decide(browser, page, 'allow')]) {
      expect([answer.status, answer.location]).toEqual([400, undefined]);
      expect(answer.body).toContain(words);
    }
    expect(grants()).toBe(0);
  });

  test('gets no code by a consent that was given before either', async () => {
    const { browser, page } = await openConsent();
    const allowed = await decide(browser, page, 'allow');
    change();
    const back = await browser.follow(allowed, REDIRECT_URI);
    expect([back.status, back.location]).toEqual([400, undefined]);
    expect(back.body).toContain(words);
    expect(grants()).toBe(0);
  });
});

test('allowed and then, by the back button, denied: the app is told no, and holds nothing', async () => {
  const { browser, page } = await openConsent();
  await decide(browser, page, 'allow');
  expect(grants()).toBe(1);
  const answer = await browser.follow(await decide(browser, page, 'deny'), REDIRECT_URI);
  expect(new URL(answer.location ?? 'about:blank').searchParams.get('error')).toBe('access_denied');
  expect(grants()).toBe(0);
});

test('somebody else signs in in another tab: whoever comes back is asked to sign in again', async () => {
  const browser = new CookieWalker();
  const page = await open(browser, authorizationUrl(base));
  const sent = { 'sec-fetch-site': 'same-origin' };
  const parked = await browser.post(`${page.url}/sign-in`, DEMO, sent);
  const tab = await open(browser, authorizationUrl(base, { state: 'another' }));
  await send(browser, tab, { step: 'sign-in', fields: SECOND });
  const asked = await browser.follow(parked, REDIRECT_URI);
  expect([asked.status, asked.url]).toEqual([200, page.url]);
  expect(asked.body).toContain('name="password"');
  const consented = await send(browser, asked, { step: 'sign-in', fields: DEMO });
  expect(consented.body).toContain('Dana Demo');
});

test('who is signed in and is asked to sign in again may do so as somebody else', async () => {
  const browser = await signedIn(base);
  const asked = await open(browser, authorizationUrl(base, { prompt: 'login consent' }));
  expect(asked.body).toContain('name="password"');
  const page = await send(browser, asked, { step: 'sign-in', fields: SECOND });
  expect([page.status, page.body.includes('Sam Second')]).toEqual([200, true]);
});

const shownSignIn = async () => (await new CookieWalker().get(`${base}/settings/sign-in`)).body;

test('the demo names its password as long as it is the one, and the e-mail that it is now', async () => {
  expect(await shownSignIn()).toContain(DEMO.password);
  const browser = await signedIn(base);
  const page = await browser.get(`${base}/settings/account`);
  const values = { 'current-password': DEMO.password, 'new-password': 'another-long-password' };
  expect((await sendForm(browser, page, { action: '/settings/account/password', values })).status).toBe(303);
  write("update accounts set document = json_set(document, '$.email', ?)", 'dana@box.example');
  const now = await shownSignIn();
  expect(now).toContain('dana@box.example');
  expect(now).not.toContain(DEMO.password);
  const interaction = await open(new CookieWalker(), authorizationUrl(base));
  expect([interaction.body.includes('This is a demo'), interaction.body.includes(DEMO.password)]).toEqual([
    true,
    false,
  ]);
});

test('another browser at the address of somebody’s way back changes nothing of it', async () => {
  const dana = new CookieWalker();
  const page = await open(dana, authorizationUrl(base));
  const sent = { 'sec-fetch-site': 'same-origin' };
  const parked = await dana.post(`${page.url}/sign-in`, DEMO, sent);
  await (await signedIn(base, SECOND)).get(new URL(parked.location ?? '', base).href);
  expect((await dana.follow(parked, REDIRECT_URI)).body).toContain('Allow Public');
});
