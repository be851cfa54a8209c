import { scopes } from '../../../src/modern/scopes.ts';
import { ask, expectPage, expectRedirect } from '../support/authorization-answers.ts';
import { browser, withConsentingBrowser } from '../support/consenting-browser.ts';
import {
  authorizationUrl,
  CLIENT_SECRET,
  CONFIDENTIAL,
  consent,
  exchange,
  obtainTokens,
  open,
  PUBLIC,
  REDIRECT_URI,
  type Running,
  runModern,
} from '../support/modern.ts';
import { base } from '../support/running-modern.ts';

withConsentingBrowser();

test('an allowed request goes back with code, state and issuer', async () => {
  const { answer } = await consent({ base });
  expect([...answer.keys()].toSorted()).toEqual(['code', 'iss', 'state']);
  expect(answer.get('state')).toBe('state-of-the-app');
  expect(answer.get('iss')).toBe(base);
});

test('consent is asked for even without prompt=consent and with an earlier consent in the same browser', async () => {
  const page = await open(browser, authorizationUrl(base, { prompt: undefined }));
  expect(page.body).toContain('Allow Public');
});

// RFC 7636 appendix B.
const KNOWN_VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const KNOWN_CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

test.each([
  ['a public app', {}],
  ['a confidential app', { client_id: CONFIDENTIAL, client_secret: CLIENT_SECRET }],
])('the known answer of RFC 7636 is the challenge of its verifier, for %s', async (_what, app) => {
  const { client_secret: _secret, ...parameters } = { client_secret: '', ...app };
  const known = { ...parameters, code_challenge: KNOWN_CHALLENGE };
  const { code, verifier } = await consent({ base, browser, parameters: known });
  expect((await exchange(base, { code, verifier }, app)).body['error']).toBe('invalid_grant');
  expect((await exchange(base, { code, verifier: KNOWN_VERIFIER }, app)).status).toBe(200);
});

describe('scope', () => {
  test('all nine are granted as asked for', async () => {
    const body = await obtainTokens({ base, browser, parameters: { scope: scopes.join(' ') } });
    expect(String(body['scope']).split(' ').toSorted()).toEqual(scopes.toSorted());
  });

  test.each(scopes.filter((scope) => scope !== 'offline_access'))(
    '%s alone is granted alone',
    async (scope) => {
      const body = await obtainTokens({ base, browser, parameters: { scope } });
      expect(body).toMatchObject({ scope });
      expect(body).not.toHaveProperty('refresh_token');
    },
  );

  test('a scope given twice is granted once', async () => {
    const body = await obtainTokens({ base, browser, parameters: { scope: 'posts:read posts:read' } });
    expect(body['scope']).toBe('posts:read');
  });

  // Recorded of the real service too: prompt=consent is part of the flow.
  test('offline_access without prompt=consent is left out of what is granted', async () => {
    const body = await obtainTokens({ base, browser, parameters: { prompt: undefined } });
    expect(body['scope']).toBe('account:read');
    expect(body).not.toHaveProperty('refresh_token');
  });
});

describe('prompt', () => {
  test.each([
    ['login', 'name="password"'],
    ['login consent', 'name="password"'],
    ['consent', 'Allow Public'],
    [undefined, 'Allow Public'],
  ])('%s shows a signed-in person the right page', async (prompt, words) => {
    const page = await open(browser, authorizationUrl(base, { prompt }));
    expect(page.body).toContain(words);
  });
});

const STATES: Array<[string, string]> = [
  ['4 kB of markup', '<script>'.repeat(512)],
  ['a header in disguise', 'a\r\nSet-Cookie: planted=1'],
  ['an encoded header in disguise', 'a%0d%0aSet-Cookie:planted'],
  ['letters of many scripts', 'é – 日本語 – 🗝'],
  ['a plus', 'a+b'],
  ['an encoded plus', 'a%2Bb'],
  ['a second code', 'x&code=planted'],
  ['a fragment', 'x#code=planted'],
  ['quotes', `"'\\`],
];

describe('state', () => {
  test.each(STATES)('%s comes back unchanged with an error', async (_what, state) => {
    const answer = await ask(authorizationUrl(base, { state, scope: 'x' }));
    expectRedirect(answer, { error: 'invalid_scope', issuer: base, state });
    expect(answer.headers.get('set-cookie') ?? '').not.toContain('planted');
  });

  test.each(STATES)('%s comes back unchanged with a code', async (_what, state) => {
    const { answer } = await consent({ base, browser, parameters: { state } });
    expect(answer.getAll('state')).toEqual([state]);
    expect(answer.getAll('code')).toHaveLength(1);
    expect(answer.get('code')).not.toBe('planted');
  });

  test('without a state the callback has none', async () => {
    const { answer } = await consent({ base, browser, parameters: { state: undefined } });
    expect([...answer.keys()].toSorted()).toEqual(['code', 'iss']);
  });
});

test('Allow, pressed three times at once, makes one grant and one code', async () => {
  const page = await open(browser, authorizationUrl(base));
  const press = () =>
    browser.post(`${page.url}/consent`, { decision: 'allow' }, { 'sec-fetch-site': 'same-origin' });
  const pressed = await Promise.all([press(), press(), press()]);
  const next = new URL(pressed[0].location ?? '', base).href;
  const answers = await Promise.all([browser.get(next), browser.get(next), browser.get(next)]);
  expect(answers.filter(({ location }) => location?.includes('code='))).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(2);
});

describe('an app with several redirect URIs, one of them with a query', () => {
  const [plain, tenant] = ['http://localhost:45999/a', `${REDIRECT_URI}?tenant=1&x=%2F`];
  let other: Running;
  beforeAll(async () => {
    other = await runModern({ clients: [{ clientId: PUBLIC, name: 'Two', redirectUris: [plain, tenant] }] });
  });
  afterAll(() => other.stop());

  test('gets its answer behind the query it registered', async () => {
    const answer = await ask(authorizationUrl(other.server.url, { redirect_uri: tenant, scope: 'x' }));
    expect(answer.location?.startsWith(`${tenant}&error=invalid_scope&`)).toBe(true);
    const { answer: allowed } = await consent({
      base: other.server.url,
      parameters: { redirect_uri: tenant },
    });
    expect([...allowed.keys()].toSorted()).toEqual(['code', 'iss', 'state', 'tenant', 'x']);
  });

  test.each([
    ['none', undefined],
    ['one without its query', REDIRECT_URI],
    ['one with its query in another order', `${REDIRECT_URI}?x=%2F&tenant=1`],
  ])('sends %s and sees a page', async (_what, uri) => {
    expectPage(await ask(authorizationUrl(other.server.url, { redirect_uri: uri })));
  });

  test('exchanges a code with the redirect URI it was asked with, not with its other one', async () => {
    const at = other.server.url;
    const given = await consent({ base: at, parameters: { redirect_uri: tenant } });
    expect((await exchange(at, given, { redirect_uri: plain })).body['error']).toBe('invalid_grant');
    expect((await exchange(at, given, { redirect_uri: tenant })).status).toBe(200);
  });
});
