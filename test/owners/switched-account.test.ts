import { reauthorizationLink } from '../../src/domain/authorization/reauthorize.ts';
import { CookieWalker, type Page } from '../support/callers/cookie-walker.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import type { RegisteredApp } from '../support/bridge/register-app.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import {
  browserOf,
  consentAt,
  DANA,
  mappingOf,
  pressIn,
  SAM,
  signIn,
  waitingToken,
  wordsOf,
} from './support/people.ts';

/**
 * Any site can begin a sign-in, and one that the new API remembers needs no page. It neither changes who is signed in
 * here nor undoes a sign-out.
 */

const clock = new SettableClock();
let system: System;

beforeAll(async () => {
  clock.run();
  system = await startSystem({ clock });
});

afterAll(() => system.stop());

const at = (path: string) => `${system.bridgeUrl}${path}`;

async function whoIs(browser: CookieWalker): Promise<string | undefined> {
  const { status, body } = await browser.get(at('/apps/account'));
  return status === 200 ? [DANA.login, SAM.login].find((login) => body.includes(login)) : undefined;
}

const CROSS_SITE = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };

/** As another site sends the browser to the sign-in, while the new API knows it as this person. */
async function ledToSignIn(browser: CookieWalker, person: typeof DANA): Promise<Page> {
  const left = await browser.get(at('/sign-in?return_to=/apps/register'), CROSS_SITE);
  return browser.get(await consentAt(system, left, { person }));
}

describe('a sign-in that ends as another account', () => {
  test('changes nothing, and a page asks', async () => {
    const sam = await browserOf(system, SAM);
    const page = await ledToSignIn(sam, DANA);
    expect(page.status).toBe(200);
    expect(wordsOf(page)).toMatch(
      new RegExp(`signed in here as ${SAM.login}.*named ${DANA.login}.*Nothing was changed`),
    );
    expect(await whoIs(sam)).toBe(SAM.login);
  });

  test('switches by the form of this session alone, once, under a new session', async () => {
    const sam = await browserOf(system, SAM);
    const page = await ledToSignIn(sam, DANA);
    const field = { _form: sam.forms(page)[0]?.fields[0]?.value ?? '', switch_token: 'x' };
    const foreign = [
      await sam.post(at('/apps/account/switch'), {}),
      await sam.post(at('/apps/account/switch'), field, { origin: 'https://evil.example' }),
      await (await browserOf(system, SAM)).post(at('/apps/account/switch'), field),
    ];
    expect(foreign.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(await whoIs(sam)).toBe(SAM.login);
    const before = sam.cookie('gb_session');
    expect((await pressIn(sam, page, /^Switch to/)).location).toBe('/apps/register');
    expect([await whoIs(sam), sam.cookie('gb_session') === before]).toEqual([DANA.login, false]);
    expect((await sam.post(at('/apps/account/switch'), field)).status).toBe(403);
  });

  test('is forgotten after half an hour', async () => {
    const sam = await browserOf(system, SAM);
    const page = await ledToSignIn(sam, DANA);
    clock.advance(31 * 60_000);
    clock.run();
    expect((await pressIn(sam, page, /^Switch to/)).location).toBe('/apps/account');
    expect(await whoIs(sam)).toBe(SAM.login);
  });
});

const promptOf = (page: Page) => new URL(page.location ?? '').searchParams.get('prompt');

test.each([/^Sign out here$/, /^Sign out everywhere$/])(
  'after “%s” the next sign-in in this browser asks who is there, and the one after it does not',
  async (button) => {
    const browser = await browserOf(system);
    expect(promptOf(await browser.get(at('/sign-in')))).toBeNull();
    await pressIn(browser, await browser.get(at('/apps/account')), button);
    expect(promptOf(await browser.get(at('/sign-in'), CROSS_SITE))).toBe('login');
    const abandoned = await browser.get(at('/sign-in'));
    expect(promptOf(abandoned)).toBe('login');
    await signIn(system, browser);
    expect(await whoIs(browser)).toBe(DANA.login);
    expect(promptOf(await browser.get(at('/sign-in')))).toBeNull();
  },
);

/** A link for an app with a waiting token of Dana, and whether it is connected. */
async function waitingLink() {
  const app = (await system.registerApp('https://waiting.example/callback')) as RegisteredApp;
  const { id } = await waitingToken(system, { app, accountId: DANA.accountId });
  const pair = { clientId: app.clientId, accountId: DANA.accountId };
  const link = await reauthorizationLink(system.bridge.context, pair);
  return { link, state: async () => (await mappingOf(system, id)).state };
}

const connect = async (browser: CookieWalker, link: string) =>
  pressIn(browser, await browser.get(link), /^Connect$/);

async function signOutOf(browser: CookieWalker, button: RegExp): Promise<void> {
  clock.advance(1);
  await pressIn(browser, await browser.get(at('/apps/account')), button);
}

describe.each([/^Sign out here$/, /^Sign out everywhere$/])('after “%s”', (button) => {
  test('the consent of a mailed link asks who is there too', async () => {
    const browser = await browserOf(system);
    const { link } = await waitingLink();
    await signOutOf(browser, button);
    const left = await connect(browser, link);
    expect(promptOf(left)).toBe('login consent');
    await browser.get(await consentAt(system, left, { person: DANA }));
    expect(await whoIs(browser)).toBe(DANA.login);
    expect(promptOf(await connect(browser, (await waitingLink()).link))).toBe('consent');
  });

  test('a sign-in that began before it signs nobody in, and one that begins after it does', async () => {
    const browser = await browserOf(system);
    const left = await browser.get(at('/sign-in?return_to=/apps/register'));
    await signOutOf(browser, button);
    const page = await browser.get(await consentAt(system, left, { person: DANA }));
    expect(wordsOf(page)).toMatch(/Somebody signed out in this browser after this sign-in began/);
    expect(page.body).toContain('href="/sign-in?return_to=%2Fapps%2Fregister"');
    expect(await whoIs(browser)).toBeUndefined();
    expect(promptOf(await browser.get(at('/sign-in')))).toBe('login');
    await signIn(system, browser);
    expect(await whoIs(browser)).toBe(DANA.login);
  });

  test('a consent from a link that began before it connects the app, and signs nobody in', async () => {
    const browser = new CookieWalker();
    const { link, state } = await waitingLink();
    const left = await connect(browser, link);
    await signIn(system, browser);
    await signOutOf(browser, button);
    await browser.get(await consentAt(system, left, { person: DANA }));
    expect([await state(), await whoIs(browser)]).toEqual(['active', undefined]);
  });
});
