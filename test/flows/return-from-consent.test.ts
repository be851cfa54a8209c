import { CookieWalker, type Page } from '../support/callers/cookie-walker.ts';
import { authorizeIn, exchange, tokenOf } from '../support/callers/legacy-calls.ts';
import { returnAddress as walkToReturn } from '../support/callers/return-address.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** GET /callback (RFC 6749 §4.1.2, docs/threats.md E90 to E95): what is refused, in which order, and what it costs. */

let system: System;

beforeAll(async () => {
  system = await startSystem();
});

afterAll(() => system.stop());

const codeExchanges = () =>
  system.proxy.calls.filter(({ grantType }) => grantType === 'authorization_code').length;

const returnAddress = (browser: CookieWalker, refuse?: 'consent') => walkToReturn(system, browser, refuse);

function changed(address: URL, change: (query: URLSearchParams) => void): string {
  const copy = new URL(address);
  change(copy.searchParams);
  return copy.href;
}

async function expectRefused(page: Page, exchangesBefore: number): Promise<void> {
  expect(page.status).toBe(403);
  expect(page.location).toBeUndefined();
  expect(page.headers.get('content-type')).toContain('text/html');
  expect(codeExchanges()).toBe(exchangesBefore);
}

const FOREIGN: Array<[string, (query: URLSearchParams) => void]> = [
  ['no state', (query) => query.delete('state')],
  ['another state', (query) => query.set('state', 'x'.repeat(43))],
  ['the state twice', (query) => query.append('state', query.get('state') ?? '')],
  ['the code twice', (query) => query.append('code', 'other')],
  [
    'a denial beside a foreign state',
    (query) => {
      query.delete('code');
      query.set('error', 'access_denied');
      query.set('state', 'y'.repeat(43));
    },
  ],
];

test.each(FOREIGN)(
  'a return with %s is refused before anything is asked upstream, and the true one still works',
  async (_name, change) => {
    const browser = new CookieWalker();
    const address = await returnAddress(browser);
    const before = codeExchanges();
    await expectRefused(await browser.get(changed(address, change)), before);
    const page = await browser.get(address.href);
    expect(page.location).toMatch(
      /^https:\/\/old-app\.example\/callback\?code=1\/[A-Za-z0-9]{32}&state=app-state$/,
    );
  },
);

const ENDING: Array<[string, (query: URLSearchParams) => void]> = [
  ['another issuer', (query) => query.set('iss', 'https://elsewhere.example')],
  ['no issuer although the server sends it', (query) => query.delete('iss')],
  ['code and error together', (query) => query.set('error', 'access_denied')],
  ['neither code nor error', (query) => query.delete('code')],
];

test.each(ENDING)('a return with %s is refused and ends the request', async (_name, change) => {
  const browser = new CookieWalker();
  const address = await returnAddress(browser);
  const before = codeExchanges();
  await expectRefused(await browser.get(changed(address, change)), before);
  await expectRefused(await browser.get(address.href), before);
});

test('a return in another browser is refused, and the first browser can still finish', async () => {
  const browser = new CookieWalker();
  const address = await returnAddress(browser);
  const before = codeExchanges();
  const refused = await new CookieWalker().get(address.href);
  await expectRefused(refused, before);
  // A browser whose cookie has ended looks the same.
  expect(refused.body).toContain('or it took longer than half an hour');
  expect((await browser.get(address.href)).location).toContain('code=1/');
});

test('a state works once', async () => {
  const browser = new CookieWalker();
  const address = await returnAddress(browser);
  expect((await browser.get(address.href)).location).toContain('code=1/');
  await expectRefused(await browser.get(address.href), codeExchanges());
});

test('a denial with its own state goes back to the app with access_denied', async () => {
  const browser = new CookieWalker();
  const page = await browser.get((await returnAddress(browser, 'consent')).href);
  expect(page.location).toBe('https://old-app.example/callback?error=access_denied&state=app-state');
});

/** Everything that a return could overwrite. */
async function keptRows() {
  const { durable } = system.bridge.context.store;
  const [grants, mappings, codes] = await Promise.all([
    durable.selectFrom('grants').selectAll().orderBy('id').execute(),
    durable.selectFrom('mappings').selectAll().orderBy('id').execute(),
    durable.selectFrom('legacy_codes').select('code_digest').execute(),
  ]);
  return { grants, mappings, codes };
}

test('row E95 a code of another session fails at the verifier and overwrites nothing', async () => {
  const first = new CookieWalker();
  const second = new CookieWalker();
  const mine = await returnAddress(first);
  const other = await returnAddress(second);
  const injected = changed(mine, (query) => query.set('code', other.searchParams.get('code') ?? ''));
  const before = await keptRows();
  const page = await first.get(injected);
  expect(page.location).toBe('https://old-app.example/callback?error=server_error&state=app-state');
  expect(system.proxy.calls.at(-1)).toMatchObject({ grantType: 'authorization_code', status: 400 });
  expect(await keptRows()).toEqual(before);
});

test('two tabs of one browser both finish, and both codes give a working token', async () => {
  const browser = new CookieWalker();
  const addresses = [await returnAddress(browser), await returnAddress(browser)];
  const pages = [await browser.get(String(addresses[1])), await browser.get(String(addresses[0]))];
  for (const page of pages) {
    const code = /code=([^&]+)/.exec(page.location ?? '')?.[1] ?? '';
    expect(tokenOf(await exchange(system, code))).toMatch(/^1\/[0-9a-f]{32}$/);
  }
});

test('two tabs that open their pages before either is answered do not disturb each other', async () => {
  const browser = new CookieWalker();
  const query = `client_id=${system.app.clientId}&response_type=code`;
  const opened = await Promise.all(
    [1, 2].map(async () =>
      browser.follow(await browser.get(`${system.bridgeUrl}/oauth2/authorize?${query}`)),
    ),
  );
  for (const page of opened) {
    const form = browser.forms(page)[0];
    const field = form?.fields.find(({ name }) => name === '_form')?.value ?? '';
    const sent = await browser.post(page.url, { _form: field, decision: 'deny' });
    expect(sent.location).toBe('https://old-app.example/callback?error=access_denied');
  }
});

test('HEAD on the return does nothing', async () => {
  const browser = new CookieWalker();
  const address = await returnAddress(browser);
  const before = codeExchanges();
  const cookie = browser.cookieHeader(address.href);
  const answer = await fetch(address, { method: 'HEAD', redirect: 'manual', headers: { cookie } });
  expect(answer.status).toBe(405);
  expect(codeExchanges()).toBe(before);
  expect((await browser.get(address.href)).location).toContain('code=1/');
});

test('with the modern side away the app is told to try later, and no code is made', async () => {
  const browser = new CookieWalker();
  const address = await returnAddress(browser);
  system.proxy.onTokenCall = () => {
    throw new Error('cut');
  };
  const page = await browser.get(address.href);
  system.proxy.onTokenCall = undefined;
  expect(page.location).toBe(
    'https://old-app.example/callback?error=temporarily_unavailable&state=app-state',
  );
});

test('a person who says no at the approval page never reaches the modern side', async () => {
  const { error, state, location } = await authorizeIn(system, { refuse: 'approval', state: 'a b&c' });
  expect({ error, state }).toEqual({ error: 'access_denied', state: 'a+b%26c' });
  expect(location).toBe('https://old-app.example/callback?error=access_denied&state=a+b%26c');
});
