import { formActOf } from '../../src/http/pages/form-acts.ts';
import { createBridgeApp } from '../../src/http/app.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { routesOf } from '../roles/support/routes.ts';
import { act } from '../staff/support/actions.ts';
import { staffBrowser } from '../staff/support/staff-browser.ts';
import { CookieWalker, type Page } from '../support/callers/cookie-walker.ts';
import { registerLegacyApp } from '../support/bridge/register-app.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { browserOf, DANA, pressIn, waitingToken, wordsOf } from './support/people.ts';

/** What another site can make our pages say, or offer to do: nothing. */

let system: System;
let dana: CookieWalker;
let clientId: string;
beforeAll(async () => {
  system = await startSystem();
  dana = await browserOf(system);
  ({ clientId } = await registerLegacyApp(system.bridge, 'https://mine.example/cb', DANA.accountId));
});
afterAll(() => system.stop());

const at = (path: string) => `${system.bridgeUrl}${path}`;
const EVIL = { address: 'evil@evil.example' };

const offersToSend = (browser: CookieWalker, page: Page) =>
  browser.forms(page).some(({ buttons }) => buttons.some(({ text }) => text === 'Send it again'));

/** An address with something at each place of a name. */
const pathOf = (route: string) => route.split(' ')[1]?.replaceAll(/:\w+/g, 'x1') ?? '';

const hasNotice = (page: Page) => /role="status"/.test(page.body);

describe('a form without the proof that it is of this session', () => {
  test.each<Record<string, string>>([
    {},
    { origin: 'null' },
    { 'sec-fetch-site': 'none', origin: 'null' },
    { 'sec-fetch-site': 'same-site', origin: 'null' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  ])('is not offered to be sent again unless the browser says that it is ours: %j', async (headers) => {
    for (const browser of [dana, new CookieWalker()]) {
      const page = await browser.post(at(`/apps/${clientId}/contacts`), EVIL, headers);
      expect(page.status).toBe(403);
      expect(page.body).not.toContain(EVIL.address);
      expect(offersToSend(browser, page)).toBe(false);
    }
  });

  test('leads a signed-in person to the page where such a form stands', async () => {
    const page = await dana.post(at(`/apps/${clientId}/contacts/remove`), EVIL, { origin: 'null' });
    expect(page.body).toContain(`<a class="button primary" href="/apps/${clientId}/contacts">`);
  });

  test.each<Record<string, string>>([{ 'sec-fetch-site': 'same-origin', origin: 'null' }, {}])(
    'of a page of ours is, with what it does and for which app: %j',
    async (headers) => {
      const address = `${newHexId()}@team.example`;
      const own = { origin: system.bridgeUrl, ...headers };
      const page = await dana.post(at(`/apps/${clientId}/contacts`), { address }, own);
      const words = wordsOf(page);
      for (const told of ['Add a contact to the app', 'App Old App', address]) expect(words).toContain(told);
      expect((await pressIn(dana, page, /Send it again/)).location).toContain('contact-added');
    },
  );

  test('is begun anew from its page where nothing was typed into it', async () => {
    const page = await dana.post(at(`/apps/${clientId}/revoke`), {}, { origin: system.bridgeUrl });
    expect(offersToSend(dana, page)).toBe(false);
    expect(page.body).toContain(`href="/apps/${clientId}/revoke"`);
  });

  test.each(['/apps/register', '/mails/0123456789abcdef01234567/not-me'])(
    'of another site is refused with the next step of this page: %s',
    async (path) => {
      const page = await dana.post(at(path), {}, { origin: 'https://evil.example' });
      expect(page.status).toBe(403);
      expect(wordsOf(page)).toContain('Open the page again, and send the form from there');
      expect(wordsOf(page)).not.toContain('the app');
    },
  );

  test('has its words and its page, whichever it is', async () => {
    const { context } = system.bridge;
    const routes = routesOf(
      createBridgeApp({ context, rateLimitPerMinute: 60, trustProxy: [], logRequests: 'off' }).app,
    );
    const pages = new Set(routes.filter((route) => route.startsWith('GET ')).map(pathOf));
    const forms = routes.filter((route) => /^POST \/(apps|support|sign-out)/.test(route));
    expect(forms.length).toBeGreaterThan(20);
    for (const route of forms) {
      const found = await formActOf(context, { path: pathOf(route), isStaff: true });
      expect({ route, found: found && pages.has(found.page) }).toEqual({ route, found: true });
    }
  });
});

describe('what was done', () => {
  test('is said once, on the page that the form led to', async () => {
    const sam = await staffBrowser(system, 'lead');
    const { id } = await waitingToken(system, { accountId: DANA.accountId });
    const done = await act(sam, at(`/support/mappings/${id}/revoke`));
    const other = await waitingToken(system, { accountId: DANA.accountId });
    expect(hasNotice(await sam.get(at(`/support/mappings/${other.id}?done=token-revoked`)))).toBe(false);
    expect(hasNotice(await sam.get(at(`/support/mappings/${id}?done=account-pinned`)))).toBe(false);
    expect(wordsOf(await sam.get(at(done.location ?? '')))).toContain('Revoked. Calls with this token');
    expect(hasNotice(await sam.get(at(done.location ?? '')))).toBe(false);
  });

  test.each(['revoked', 'connected', 'proven'])('is not said by a link: %s', async (notice) => {
    for (const path of ['/apps', `/apps/${clientId}`])
      expect(hasNotice(await dana.get(at(`${path}?done=${notice}`)))).toBe(false);
  });

  test('of an owner is said too', async () => {
    const page = await dana.get(at(`/apps/${clientId}/contacts`));
    const done = await pressIn(dana, page, /^Add/, { address: 'one@team.example' });
    const words = wordsOf(await dana.follow(done));
    // Contacts get the mails that do not reach the owner, and no others (docs/dates-and-reminders.md).
    expect(words).toContain('Mails about this app that cannot be delivered to its owner can go there');
    expect(words).toContain('goes to the first of these addresses that takes it');
    expect(words).not.toMatch(/go there too|and to these addresses/);
  });
});
