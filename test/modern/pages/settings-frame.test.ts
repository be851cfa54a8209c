import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { linkOf } from '../../support/callers/html-forms.ts';
import { base } from '../support/running-modern.ts';
import { dana, withDana } from '../support/settings-people.ts';

withDana();

const hasNotice = async (path: string) => (await dana.get(base + path)).body.includes('role="status"');

describe('every settings page', () => {
  test.each(['/settings/api', '/settings/apps', '/settings/api/clients/new', '/settings/nowhere'])(
    '%s has the navigation, a way to sign out, and is not stored',
    async (path) => {
      const page = await dana.get(base + path);
      expect(linkOf(page.body, page.url, /^API$/)).toBe(`${base}/settings/api`);
      expect(linkOf(page.body, page.url, /^Connected apps$/)).toBe(`${base}/settings/apps`);
      expect(linkOf(page.body, page.url, /^Account$/)).toBe(`${base}/settings/account`);
      expect(page.body).toContain('action="/settings/sign-out"');
      expect(page.headers.get('cache-control')).toBe('no-store');
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(page.body).not.toContain('<script');
    },
  );

  test('each has a title of its own', async () => {
    const paths = ['/api', '/apps', '/api/clients/new', '/nowhere'];
    const pages = await Promise.all(paths.map((path) => dana.get(`${base}/settings${path}`)));
    const titles = pages.map(({ body }) => /<title>(.*)<\/title>/.exec(body)?.[1]);
    expect(new Set(titles).size).toBe(4);
  });

  test.each([
    ['/settings/', '/settings/api'],
    ['/settings/api/', '/settings/api'],
    ['/settings/api/clients/new/?x=1', '/settings/api/clients/new'],
  ])('%s leads to %s', async (path, location) => {
    const answer = await new CookieWalker().get(base + path);
    expect([answer.status, answer.location]).toEqual([303, location]);
  });

  test.each([
    ['DELETE', '/settings/api', 'GET, HEAD'],
    ['POST', '/settings/apps', 'GET, HEAD'],
    ['PUT', '/settings/api/keys/new', 'GET, HEAD, POST'],
    ['GET', '/settings/sign-out', 'POST'],
  ])('%s %s is a 405 page that names what is possible', async (method, path, allow) => {
    const headers = { cookie: dana.cookieHeader(base + path) };
    const answer = await fetch(base + path, { method, headers, redirect: 'manual' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
    expect(await answer.text()).toContain('<h1>This address cannot be used like that</h1>');
  });

  test('has no navigation for people who are not signed in', async () => {
    for (const path of ['/settings/sign-in', '/settings/nowhere'])
      expect((await new CookieWalker().get(base + path)).body).not.toContain('<nav');
  });

  test.each(['/settings/nowhere', '/Settings/API', '/settings/api/keys/x/explode'])(
    '%s is a 404 page, signed in or not',
    async (path) => {
      for (const browser of [new CookieWalker(), dana])
        expect((await browser.get(base + path)).status).toBe(404);
    },
  );

  test('words that were put into the address are not shown', async () => {
    for (const done of ['<b>hacked</b>', 'constructor', '__proto__', 'key-deleted&done=key-deleted'])
      expect((await dana.get(`${base}/settings/api?done=${done}`)).body).not.toContain('role="status"');
  });

  test('a text about what was done counts on its own page alone', async () => {
    expect(await hasNotice('/settings/account?done=password-changed')).toBe(true);
    for (const path of ['api', 'apps', 'api/keys/new', 'sign-in'])
      expect(await hasNotice(`/settings/${path}?done=password-changed`)).toBe(false);
    expect(await hasNotice('/settings/account?done=not-saved')).toBe(false);
  });

  test('a HEAD changes nothing', async () => {
    const cookie = dana.cookieHeader(`${base}/settings/api`);
    await fetch(`${base}/settings/sign-out`, { method: 'HEAD', headers: { cookie } });
    expect((await dana.get(`${base}/settings/api`)).status).toBe(200);
  });
});
