import { generateKeyPairSync } from 'node:crypto';
import { CookieWalker, type Page } from '../../support/callers/cookie-walker.ts';
import { linkOf } from '../../support/callers/html-forms.ts';
import { browserOf, wordsOf } from '../../owners/support/people.ts';
import {
  type CompanySystem,
  signInStaff,
  staffBrowser,
  startCompanySystem,
  walkCompany,
} from './support/company-system.ts';
import { BRIDGE_AT_COMPANY } from './support/identity-provider.ts';
import {
  claimsIn,
  editedToken,
  headerOf,
  signedToken,
  tokenByPassword,
  unsignedToken,
} from './support/tokens.ts';

/** Attacks on the company sign-in: nobody gets a session who did not come from the company, in this browser, just now. */

let ground: CompanySystem;

beforeAll(async () => {
  ground = await startCompanySystem();
});
afterEach(() => {
  ground.company.changeAnswer = undefined;
});
afterAll(() => ground.stop());

const SESSION = 'gb_session';
const { privateKey: foreignKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

async function expectNobody(browser: CookieWalker, page: Page): Promise<void> {
  expect(page.status).toBe(403);
  expect(browser.cookie(SESSION)).toBeUndefined();
  expect((await browser.get(ground.at('/support'))).location).toContain('/sign-in/company');
}

/** Lets somebody sign in while the answer of the token endpoint holds another ID token. */
async function withIdToken(forge: (idToken: string) => Promise<string> | string): Promise<void> {
  ground.company.changeAnswer = async (answer) => ({
    ...answer,
    id_token: await forge(String(answer['id_token'])),
  });
  const browser = new CookieWalker();
  const page = await signInStaff(ground, browser);
  await expectNobody(browser, page);
  expect(wordsOf(page)).toContain('could not be confirmed');
}

test('an untouched sign-in passes, so the others are refused for what they changed', async () => {
  const browser = new CookieWalker();
  expect((await signInStaff(ground, browser)).status).toBe(303);
});

test('an ID token that another key signed is refused', () =>
  withIdToken((real) => signedToken(claimsIn(real), { key: foreignKey, kid: headerOf(real)['kid'] })));

test.each(['none', 'None', '', 'RS256'])('an ID token without a signature, alg %j, is refused', (alg) =>
  withIdToken((real) => unsignedToken(claimsIn(real), alg)),
);

test('an ID token that the client secret or the public key signed as a password is refused', async () => {
  const keys = await (await fetch(`${ground.company.issuer}/jwks`)).text();
  for (const password of [BRIDGE_AT_COMPANY.clientSecret, keys])
    await withIdToken((real) => tokenByPassword(claimsIn(real), password));
});

test('an ID token whose claims were edited is refused', () =>
  withIdToken((real) => editedToken(real, { groups: ['support leads'] })));

test('an ID token that was cut is refused', () => withIdToken((real) => real.slice(0, -20)));

const now = () => Math.floor(Date.now() / 1000);

test('the company may sign the token of the test itself, so the next ones are refused for their claims', async () => {
  ground.company.changeAnswer = (answer) => ({
    ...answer,
    id_token: ground.company.sign(claimsIn(String(answer['id_token']))),
  });
  expect((await signInStaff(ground, new CookieWalker())).status).toBe(303);
});

test.each([
  ['is for another client', { aud: 'another-client' }],
  ['is for two clients, and was given to the other', { aud: ['support-pages', 'other'], azp: 'other' }],
  ['comes from another issuer', { iss: 'https://evil.example' }],
  ['has ended', { iat: now() - 7200, exp: now() - 3600 }],
  ['begins later', { nbf: now() + 3600 }],
  ['has no end', { exp: undefined }],
  ['names nobody', { sub: undefined }],
  ['names somebody by nothing', { sub: '' }],
  ['names somebody by a number', { sub: 7 }],
  ['names somebody by lines', { sub: 'lena\nrio' }],
  ['has another nonce', { nonce: 'x'.repeat(43) }],
  ['has no nonce', { nonce: undefined }],
])('an ID token of the company that %s is refused', (_what, changes) =>
  withIdToken((real) => ground.company.sign({ ...claimsIn(real), ...changes })),
);

test('no ID token is no sign-in', async () => {
  ground.company.changeAnswer = ({ id_token: _left, ...answer }) => answer;
  const browser = new CookieWalker();
  await expectNobody(browser, await signInStaff(ground, browser));
});

/** An ID token that the company's own key signed, for a sign-in of another client or at another time. */
async function realTokenOf(): Promise<string> {
  let kept = '';
  ground.company.changeAnswer = (answer) => {
    kept = String(answer['id_token']);
    return answer;
  };
  await signInStaff(ground, new CookieWalker());
  return kept;
}

test('the ID token of an earlier sign-in is refused: its nonce is another', async () => {
  const earlier = await realTokenOf();
  await withIdToken(() => earlier);
});

test('a return works once, whoever sends it again', async () => {
  const browser = new CookieWalker();
  const left = await browser.get(ground.at('/sign-in/company'));
  const cookies = browser.cookieHeader(ground.at('/'));
  const back = await walkCompany(ground, left, 'lena');
  expect((await browser.get(back)).status).toBe(303);
  const asked = ground.company.calls.length;
  const again = new CookieWalker();
  const page = await again.get(back, { cookie: cookies });
  await expectNobody(again, page);
  expect(linkOf(page.body, page.url, /^Support$/)).toBe(ground.at('/support'));
  expect(ground.company.calls).toHaveLength(asked);
});

test('a return in another browser signs nobody in and asks nobody, and the first browser can still finish', async () => {
  const browser = new CookieWalker();
  const left = await browser.get(ground.at('/sign-in/company'));
  const back = await walkCompany(ground, left, 'lena');
  const asked = ground.company.calls.length;
  const stranger = new CookieWalker();
  await expectNobody(stranger, await stranger.get(back));
  expect(ground.company.calls).toHaveLength(asked);
  expect((await browser.get(back)).status).toBe(303);
});

test('the code of another browser is refused in this one', async () => {
  const [victim, attacker] = [new CookieWalker(), new CookieWalker()];
  const stolen = new URL(
    await walkCompany(ground, await victim.get(ground.at('/sign-in/company')), 'lena'),
  ).searchParams.get('code');
  const own = await attacker.get(ground.at('/sign-in/company'));
  const back = new URL(await walkCompany(ground, own, 'rio'));
  back.searchParams.set('code', stolen ?? '');
  await expectNobody(attacker, await attacker.get(back.href));
});

test.each([
  ['another issuer', { iss: 'https://evil.example' }],
  ['two issuers', { iss: ['http://127.0.0.1:1', 'https://evil.example'] }],
  ['no issuer, where the company sends one', { iss: null }],
  ['a code and an error', { error: 'access_denied' }],
  ['another state', { state: 'x'.repeat(43) }],
])('a return with %s is refused before its code is sent', async (_what, changes) => {
  const browser = new CookieWalker();
  const back = new URL(await walkCompany(ground, await browser.get(ground.at('/sign-in/company')), 'lena'));
  for (const [name, value] of Object.entries(changes as Record<string, string | string[] | null>)) {
    back.searchParams.delete(name);
    for (const one of [value].flat()) if (one !== null) back.searchParams.append(name, one);
  }
  const asked = ground.company.calls.length;
  await expectNobody(browser, await browser.get(back.href));
  expect(ground.company.calls).toHaveLength(asked);
});

test('a return of the new API is none of the company, and the other way round', async () => {
  const browser = new CookieWalker();
  const back = new URL(await walkCompany(ground, await browser.get(ground.at('/sign-in/company')), 'lena'));
  await expectNobody(browser, await browser.get(ground.at(`/callback${back.search}`)));
  const left = new URL((await browser.get(ground.at('/sign-in'))).location ?? '');
  const state = left.searchParams.get('state');
  const crossed = ground.at(`/sign-in/company/return?code=x&state=${state}&iss=${ground.company.issuer}`);
  await expectNobody(browser, await browser.get(crossed));
});

test('a session that somebody planted gets nothing, and is left behind by the form of the question', async () => {
  const planted = `${SESSION}=${(await staffBrowser(ground, 'rio')).cookie(SESSION)}`;
  const browser = new CookieWalker();
  const back = await walkCompany(ground, await browser.get(ground.at('/sign-in/company')), 'lena');
  const cookie = `${browser.cookieHeader(back)}; ${planted}`;
  const question = await fetch(back, { redirect: 'manual', headers: { cookie } });
  const seen = await new CookieWalker().get(ground.at('/support'), { cookie: planted });
  expect([question.status, seen.body.includes('lena@corp.example')]).toEqual([200, false]);
  const fields = [...(await question.text()).matchAll(/name="(_form|switch_token)" value="([^"]+)"/g)];
  const answer = await fetch(ground.at('/apps/account/switch'), {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, origin: ground.at('') },
    body: new URLSearchParams(fields.map(([, name = '', value = '']) => [name, value] as [string, string])),
  });
  expect(answer.headers.getSetCookie().join()).toContain(`${SESSION}=s%3A`);
  const old = await new CookieWalker().get(ground.at('/support'), { cookie: planted });
  expect(old.location).toContain('/sign-in/company');
});

test('the sealed cookie of one kind of sign-in opens no return of the other kind', async () => {
  const browser = new CookieWalker();
  const left = new URL((await browser.get(ground.at('/sign-in'))).location ?? '');
  const state = left.searchParams.get('state') ?? '';
  const [own] = browser.received.filter(({ name }) => name.startsWith('gb_sign_in_'));
  const cookie = `${own?.name.replace('gb_sign_in_', 'gb_company_sign_in_')}=${own?.value}`;
  const page = await new CookieWalker().get(ground.at(`/sign-in/company/return?code=x&state=${state}`), {
    cookie,
  });
  expect(page.status).toBe(403);
  expect(wordsOf(page)).toContain('not started in this browser');
});

test.each(['5e1f0c9a7b3d4e2f8a6c1d01', 'account:5e1f0c9a7b3d4e2f8a6c1d01'])(
  'somebody whose subject at the company is %s has nothing of the account with this id',
  async (subject) => {
    ground.company.users.set(subject, { name: 'X', email: 'x@corp.example', groups: ['support-readers'] });
    const owner = await browserOf(ground.system);
    const browser = await staffBrowser(ground, subject);
    expect((await browser.get(ground.at('/apps'))).location).toContain('/sign-in?');
    expect((await browser.get(ground.at('/apps/account'))).location).toContain('/sign-in?');
    const { volatile } = ground.system.bridge.context.store;
    const held = volatile
      .selectFrom('sessions')
      .select('account_id')
      .where('account_id', 'like', 'company:%');
    expect((await held.execute()).map((row) => row.account_id)).toContain(
      `company:${ground.company.issuer}#${subject}`,
    );
    expect((await owner.get(ground.at('/apps'))).status).toBe(200);
  },
);

test('what the company calls a person cannot bring markup or lines into a page', async () => {
  ground.company.users.set('odd', {
    name: '<script>alert(1)</script>\u202E\nRoot',
    email: 'odd@corp.example',
    groups: ['all'],
  });
  const page = await signInStaff(ground, new CookieWalker(), { login: 'odd' });
  expect(page.body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(page.body).not.toContain('<script>alert');
  expect(page.body).not.toContain('\u202E');
});

test('a sign-in leads to the pages of support alone', async () => {
  for (const returnTo of [
    'https://evil.example/support',
    '//evil.example',
    '/supportevil',
    '/apps',
    '/support/..',
  ]) {
    const browser = new CookieWalker();
    const left = await browser.get(ground.at(`/sign-in/company?return_to=${encodeURIComponent(returnTo)}`));
    expect((await browser.get(await walkCompany(ground, left, 'lena'))).location).toBe('/support');
  }
});

test('no answer and no log line of a sign-in holds the code, the verifier, the nonce or a token', async () => {
  const browser = new CookieWalker();
  const left = await browser.get(ground.at('/sign-in/company'));
  const nonce = new URL(left.location ?? '').searchParams.get('nonce') ?? '';
  const back = await walkCompany(ground, left, 'nobody');
  const code = new URL(back).searchParams.get('code') ?? '';
  const page = await browser.get(back);
  expect(page.body).not.toContain(code);
  for (const { value } of browser.received) {
    expect(value).not.toContain(nonce);
    expect(value).not.toContain(code);
  }
});
