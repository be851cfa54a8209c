import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';
import { openApproval } from '../endpoints/support/authorize-address.ts';
import { type Door, openDoor } from '../endpoints/support/door.ts';
import { expectPage } from '../endpoints/support/expectations.ts';
import { walkUntil } from '../support/callers/authorize.ts';
import { CookieWalker, type Page } from '../support/callers/cookie-walker.ts';
import { returnAddress } from '../support/callers/return-address.ts';

/** What somebody may write into the address of GET /callback (docs/threats.md E92, E119 to E122). */

let door: Door;
let log = '';
const stream = new Writable({
  write(chunk: Buffer, _encoding, done) {
    log += chunk.toString();
    done();
  },
});

beforeAll(async () => {
  door = await openDoor({ log: { level: 'debug', stream } });
});

afterAll(() => door.stop());

const answered = ({ status, headers, body }: Page) => ({
  status,
  headers: Object.fromEntries(headers),
  text: body,
  json: undefined,
});

const codeExchanges = () =>
  door.proxy.calls.filter(({ grantType }) => grantType === 'authorization_code').length;

const grants = () => door.bridge.context.store.durable.selectFrom('grants').selectAll().execute();

/** A consent whose return is changed on its way; the answer of the bridge. */
async function returnWith(change: (address: URL) => void): Promise<Page> {
  const browser = new CookieWalker();
  const address = await returnAddress(door, browser);
  change(address);
  return browser.get(address.href);
}

const HOSTILE = [
  '<script>alert("canary-of-a-return")</script>',
  'canary-of-a-return\r\n{"level":"error","message":"forged"}\r\nSet-Cookie: a=b',
  `canary-of-a-return ${'x'.repeat(8000)}`,
];

const FORMS: Array<[error: string, forApp: string]> = [
  ['access_denied', 'access_denied'],
  ['canary-of-a-return"><script>', 'server_error'],
];

const denials = HOSTILE.flatMap((text, index) =>
  FORMS.map(([error, forApp]) => ({ text, error, forApp, what: `${forApp}, text ${index + 1}` })),
);

test.each(denials)(
  'row E92 the words beside a denial reach neither the app, a page nor the log ($what)',
  async ({ text, error, forApp }) => {
    const before = log.length;
    const page = await returnWith(({ searchParams }) => {
      searchParams.delete('code');
      searchParams.set('error', error);
      searchParams.set('error_description', text);
      searchParams.set('error_uri', 'https://evil.example/canary-of-a-return');
    });
    expect(page.location).toBe(`${door.app.callback}?error=${forApp}&state=app-state`);
    expect(page.body).toBe('');
    expect(page.headers.get('set-cookie') ?? '').not.toContain('a=b');
    await door.bridge.untilLogged();
    expect(log.slice(before)).not.toMatch(/canary-of-a-return|forged|evil\.example/);
  },
);

test('row E92 the words beside a denial with a foreign state stand on no page', async () => {
  const page = await returnWith(({ searchParams }) => {
    searchParams.delete('code');
    searchParams.set('state', 'z'.repeat(43));
    searchParams.set('error', 'access_denied');
    searchParams.set('error_description', 'canary-of-a-return');
  });
  expectPage(answered(page), 403);
  expect(page.body).not.toContain('canary-of-a-return');
});

test.each(['/callback/another-client', '/callback/grantbridge-under-test'])(
  'row E119 a return to %s, the callback of another client, is refused before its code is sent anywhere',
  async (path) => {
    const before = { exchanges: codeExchanges(), grants: await grants() };
    const page = await returnWith((address) => {
      address.pathname = path;
    });
    expectPage(answered(page), 403);
    expect({ exchanges: codeExchanges(), grants: await grants() }).toEqual(before);
  },
);

test('row E120 an access token in a return is not taken in the place of a code', async () => {
  const before = { exchanges: codeExchanges(), grants: await grants() };
  const token = 'stolen-access-token-of-the-new-api-0123456789';
  const page = await returnWith(({ searchParams }) => {
    searchParams.delete('code');
    searchParams.set('access_token', token);
    searchParams.set('refresh_token', token);
    searchParams.set('token_type', 'Bearer');
  });
  expectPage(answered(page), 403);
  expect({ exchanges: codeExchanges(), grants: await grants() }).toEqual(before);
});

test('row E121 a page on the way back tells no Referer, loads nothing from elsewhere and stays out of caches', async () => {
  const page = await returnWith(({ searchParams }) => searchParams.set('state', 'z'.repeat(43)));
  expectPage(answered(page), 403);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
});

test('row E121 the code of the new API goes on into no other address, and opens nothing a second time', async () => {
  const browser = new CookieWalker();
  const address = await returnAddress(door, browser);
  const code = address.searchParams.get('code') ?? 'none';
  const page = await browser.get(address.href);
  expect(page.status).toBe(302);
  expect(page.location).toMatch(/^https:\/\/app\.example\.com\/cb\?code=1\/[A-Za-z0-9]{32}&state=app-state$/);
  expect(page.location).not.toContain(code);
  expect(page.headers.get('cache-control')).toContain('no-store');
  expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  const before = codeExchanges();
  expectPage(answered(await browser.get(address.href)), 403);
  expect(codeExchanges()).toBe(before);
});

/** A person allows the app at the bridge; the address of the new API that the browser is sent to. */
async function startOfConsent(): Promise<{ browser: CookieWalker; address: URL }> {
  const { browser, page, field } = await openApproval(door);
  const sentOn = await browser.post(page.url, { _form: field, decision: 'allow' });
  return { browser, address: new URL(sentOn.location ?? '') };
}

/** A consent from its start to the exchange of its code at the new API. */
async function wholeConsent() {
  const { browser, address } = await startOfConsent();
  await walkUntil(address.href, { browser, person: door.person, until: door.app.callback });
  return { address, verifier: door.proxy.calls.at(-1)?.codeVerifier ?? '' };
}

test('row E122 every consent has a state and a challenge of its own, which its verifier alone fits', async () => {
  const consents = [await wholeConsent(), await wholeConsent(), await wholeConsent()];
  for (const { address, verifier } of consents) {
    expect(verifier).toMatch(/^[\w.~-]{43,128}$/);
    expect(address.href).not.toContain(verifier);
    expect(address.searchParams.get('code_challenge_method')).toBe('S256');
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    expect(address.searchParams.get('code_challenge')).toBe(challenge);
    expect(address.searchParams.get('redirect_uri')).toBe(`${door.bridgeUrl}/callback`);
    expect(address.searchParams.get('response_type')).toBe('code');
  }
  expect(new Set(consents.map(({ verifier }) => verifier)).size).toBe(3);
  expect(new Set(consents.map(({ address }) => address.searchParams.get('state'))).size).toBe(3);
});
