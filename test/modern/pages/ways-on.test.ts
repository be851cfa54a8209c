import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { authorizationUrl, DEMO, open, type Running, runModern, send } from '../support/modern.ts';

/** Where the error pages of the modern side lead: to the own settings, and to the apps where a bridge is beside it. */

const APPS = 'http://bridge.example/apps';

let beside: Running;
let alone: Running;

beforeAll(async () => {
  [beside, alone] = [await runModern({ appsUrl: APPS }), await runModern()];
});
afterAll(async () => {
  await beside.stop();
  await alone.stop();
});

const leadsTo = (body: string) =>
  [...(/<main[^>]*>([\s\S]*)<\/main>/.exec(body)?.[1]?.matchAll(/<a [^>]*href="([^"]*)"/g) ?? [])].map(
    ([, href]) => href,
  );

/** Signs in and allows the app; the address of the page on which that was. */
async function connect(base: string, browser: CookieWalker): Promise<string> {
  const page = await open(browser, authorizationUrl(base));
  const asked = await send(browser, page, { step: 'sign-in', fields: DEMO });
  const done = await send(browser, asked, { step: 'consent', fields: { decision: 'allow' } });
  expect(done.location).toContain('code=');
  return asked.url;
}

test('the Back button from a connection leads to a page that leads on', async () => {
  const browser = new CookieWalker();
  const before = await connect(beside.server.url, browser);
  const { status, body } = await browser.get(before);
  expect([status, body]).toEqual([400, expect.stringContaining('This page has expired')]);
  expect(leadsTo(body)).toEqual([APPS, '/settings']);
});

const ADDRESSES: ReadonlyArray<readonly [path: string, status: number]> = [
  ['/nowhere', 404],
  ['/interaction/unknown', 400],
  ['/auth?client_id=unknown', 400],
  ['/auth/unknown', 400],
  ['/settings/nowhere', 404],
  ['/%zz', 404],
];

test.each(ADDRESSES)('the page for %s leads on', async (path, status) => {
  for (const [{ server }, ways] of [
    [beside, [APPS, '/settings']],
    [alone, ['/settings']],
  ] as const) {
    const page = await new CookieWalker().get(server.url + path);
    expect([page.status, leadsTo(page.body)]).toEqual([status, ways]);
  }
});

test('a form that another site sends is refused by a page that leads on', async () => {
  const { url } = beside.server;
  for (const path of ['/interaction/unknown/consent', '/settings/sign-in']) {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      body: new URLSearchParams({ decision: 'allow' }),
    });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8']);
    expect(leadsTo(await answer.text())).toEqual([APPS, '/settings']);
  }
});
