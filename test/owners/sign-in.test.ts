import { openSignIn, signInId } from '../../src/domain/authorization/sign-in-request.ts';
import { CookieWalker, type Page } from '../support/callers/cookie-walker.ts';
import { linkOf } from '../support/callers/html-forms.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { testInProcess } from '../support/jest/test-mode.ts';
import { browserOf, consentAt, DANA, pressIn, SAM, signIn, waitingToken, wordsOf } from './support/people.ts';

/** People's sign-in (docs/decisions/0017): who gets a session, where it leads, and what a form needs besides. */

let system: System;

beforeAll(async () => {
  system = await startSystem();
});

afterAll(() => system.stop());

const at = (path: string) => `${system.bridgeUrl}${path}`;
const SESSION = 'gb_session';

test('a sign-in leads back to the page that asked for it and keeps no token', async () => {
  const browser = new CookieWalker();
  const asked = await browser.get(at('/apps'));
  expect(asked.location).toBe('/sign-in?return_to=%2Fapps');
  const signedIn = await signIn(system, browser, { returnTo: `/apps/${system.app.clientId}` });
  expect(signedIn.status).toBe(303);
  expect(signedIn.location).toBe(`/apps/${system.app.clientId}`);
  const page = await browser.get(at('/apps'));
  expect(page.body).toContain(DANA.login);

  const { durable } = system.bridge.context.store;
  expect(await durable.selectFrom('grants').selectAll().execute()).toEqual([]);
  const kept = durable.selectFrom('accounts').selectAll().where('account_id', '=', DANA.accountId);
  expect(await kept.executeTakeFirst()).toMatchObject({ email: DANA.login, name: 'Dana Demo' });
});

test('it asks for account:read alone, with PKCE and a state', async () => {
  const left = await new CookieWalker().get(at('/sign-in'));
  const { searchParams } = new URL(left.location ?? '');
  expect(searchParams.get('scope')).toBe('account:read');
  expect(searchParams.get('code_challenge_method')).toBe('S256');
  expect(searchParams.get('state')).toMatch(/^[\w-]{43}$/);
});

test('each sign-in is a new session, and the one before it opens nothing', async () => {
  const browser = await browserOf(system);
  const before = browser.cookie(SESSION) ?? '';
  await signIn(system, browser);
  expect(browser.cookie(SESSION)).not.toBe(before);
  const page = await new CookieWalker().get(at('/apps'), { cookie: `${SESSION}=${before}` });
  expect(page.location).toContain('/sign-in');
});

test('a session that somebody planted is left behind at the sign-in', async () => {
  const planted = `${SESSION}=${(await browserOf(system, SAM)).cookie(SESSION)}`;
  const browser = new CookieWalker();
  const left = await browser.get(at('/sign-in'));
  const back = await consentAt(system, left, { person: DANA });
  const cookie = `${browser.cookieHeader(back)}; ${planted}`;
  const answer = await new CookieWalker().get(back, { cookie });
  const [form] = browser.forms(answer);
  const fields = Object.fromEntries((form?.fields ?? []).map(({ name, value }) => [name, value]));
  const send = async (sent: Record<string, string>) =>
    new CookieWalker().post(at('/apps/account/switch'), sent, { cookie: planted });
  const { switch_token: _value, ...known } = fields;
  // Who planted it knows the cookie and its forms, and not the page that the person got.
  expect((await send(known)).location).toBe('/apps/account');
  expect((await new CookieWalker().get(at('/apps/account'), { cookie: planted })).body).toContain(SAM.login);
  expect((await send(fields)).headers.getSetCookie().join()).toContain(`${SESSION}=s%3A`);
  expect((await new CookieWalker().get(at('/apps'), { cookie: planted })).location).toContain('/sign-in');
});

test('a return in another browser signs nobody in, and the first browser can still finish', async () => {
  const browser = new CookieWalker();
  const left = await browser.get(at('/sign-in'));
  const back = await consentAt(system, left, { person: DANA });
  const stranger = new CookieWalker();
  expect((await stranger.get(back)).status).toBe(403);
  expect(stranger.cookie(SESSION)).toBeUndefined();
  expect((await browser.get(back)).status).toBe(303);
  expect(browser.cookie(SESSION)).toBeDefined();
});

test.each([
  'https://evil.example/apps',
  '//evil.example/apps',
  '/\\evil.example',
  '/apps/../support',
  '/apps//evil.example',
  '/apps?next=https://evil.example',
  '/apps/x\r\nSet-Cookie: a=b',
  '/appsevil',
  '/',
  `/apps/${'x'.repeat(300)}`,
])('a sign-in never leads to %j', async (returnTo) => {
  const browser = new CookieWalker();
  const left = await browser.get(at(`/sign-in?return_to=${encodeURIComponent(returnTo)}`));
  expect(left.status).toBe(302);
  const state = new URL(left.location ?? '').searchParams.get('state') ?? '';
  const sealed = browser.cookie(`gb_sign_in_${signInId(state)}`) ?? '';
  const returned = await openSignIn(system.bridge.context, state, sealed);
  expect(returned?.travelled.returnTo).not.toBe(returnTo);
  expect(returned?.travelled.returnTo).toMatch(/^\/apps(\/[\w-]+)*$/);
});

test('two return addresses are none, and parameters of a return start nothing else', async () => {
  const left = await new CookieWalker().get(
    at('/sign-in?return_to=/apps/a&return_to=/apps/b&code=x&state=y&error=z'),
  );
  expect(left.location).toContain('/auth?');
});

test('who says no is told so and may try again', async () => {
  const browser = new CookieWalker();
  const left = await browser.get(at('/sign-in?return_to=/apps/register'));
  const page = await browser.get(await consentAt(system, left, { person: DANA, isDenied: true }));
  expect(page.status).toBe(200);
  expect(wordsOf(page)).toMatch(/You are not signed in/);
  expect(linkOf(page.body, page.url, /Sign in/)).toBe(at('/sign-in?return_to=%2Fapps%2Fregister'));
  expect(browser.cookie(SESSION)).toBeUndefined();
});

test('HEAD starts no sign-in', async () => {
  const answer = await fetch(at('/sign-in'), { method: 'HEAD', redirect: 'manual' });
  expect(answer.status).toBe(405);
});

test('signing out ends the session for whoever holds its cookie', async () => {
  const browser = await browserOf(system);
  const cookie = `${SESSION}=${browser.cookie(SESSION)}`;
  const out = await pressIn(browser, await browser.get(at('/apps')), /Sign out/);
  expect(out.location).toBe('/sign-out');
  const page = await browser.follow(out);
  expect(wordsOf(page)).toMatch(/You are signed out .*You may still be signed in on the account page/);
  expect(page.body).toContain(`href="${system.bridge.context.settings.modernSettingsUrl}"`);
  expect((await (await browserOf(system)).get(at('/sign-out'))).location).toBe('/apps/account');
  expect((await new CookieWalker().get(at('/apps'), { cookie })).location).toContain('/sign-in');
});

const paths = () => [
  '/sign-out',
  '/apps/prove-email',
  `/apps/prove-email/${'v'.repeat(43)}`,
  `/apps/connect/${'0'.repeat(24)}`,
  `/apps/${system.app.clientId}/connect`,
  `/apps/${system.app.clientId}/revoke`,
];

describe('a form', () => {
  let mine: CookieWalker;
  let page: Page;
  let field: string;

  beforeAll(async () => {
    await waitingToken(system, { accountId: DANA.accountId });
    mine = await browserOf(system);
    page = await mine.get(at(`/apps/${system.app.clientId}`));
    field = mine.forms(page).flatMap(({ fields }) => fields)[0]?.value ?? '';
  });

  /** Every form refused, and the session goes on. */
  async function expectRefused(send: (path: string) => Promise<Page>): Promise<void> {
    const statuses = await Promise.all(paths().map(async (path) => (await send(path)).status));
    expect(statuses).toEqual(paths().map(() => 403));
    expect((await mine.get(at('/apps'))).status).toBe(200);
  }

  test('is refused without its hidden field', async () => {
    await expectRefused((path) => mine.post(at(path), {}));
  });

  test('is refused with the field of another session', async () => {
    const other = await browserOf(system, SAM);
    const theirs = other.forms(await other.get(at('/apps')))[0]?.fields[0]?.value ?? '';
    expect(theirs).toMatch(/^[\w-]{43}$/);
    await expectRefused((path) => mine.post(at(path), { _form: theirs }));
  });

  test('is refused from the page of another site, whatever it holds', async () => {
    await expectRefused((path) => mine.post(at(path), { _form: field }, { origin: 'https://evil.example' }));
    await expectRefused((path) => mine.post(at(path), { _form: field }, { 'sec-fetch-site': 'cross-site' }));
  });

  test('is refused of somebody who is not signed in', async () => {
    const nobody = new CookieWalker();
    await expectRefused((path) => nobody.post(at(path), { _form: field }));
  });

  test('is taken with its field', async () => {
    const left = await pressIn(mine, page, /^Connect$/);
    expect(left.location).toContain('/auth?');
  });
});

testInProcess('a restored copy sends nobody to the modern side', async () => {
  const mine = await browserOf(system);
  const page = await mine.get(at(`/apps/${system.app.clientId}`));
  const { context } = system.bridge;
  const become = async (state: 'copy' | 'original') => {
    await context.store.durable.updateTable('instance').set({ state }).execute();
    await context.instance.look();
  };
  await become('copy');
  const refused = [await mine.get(at('/sign-in')), await pressIn(mine, page, /^Connect$/)];
  await become('original');
  expect(refused.map(({ status }) => status)).toEqual([503, 503]);
  expect(wordsOf(refused[0] as Page)).toContain('This is a restored copy');
});
