import { addStaff } from '../../../src/domain/accounts/staff.ts';
import { browserOf, DANA, pressIn, signIn, waitingToken, wordsOf } from '../../owners/support/people.ts';
import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import {
  type CompanySystem,
  signInStaff,
  staffBrowser,
  startCompanySystem,
  walkCompany,
} from './support/company-system.ts';

/** Staff sign in at the identity provider of their company (docs/decisions/0032). */

let ground: CompanySystem;

beforeAll(async () => {
  ground = await startCompanySystem();
});
afterAll(() => ground.stop());

/** Begins a sign-in of the company as any site can, and comes back as Lena. */
async function signInAt(browser: CookieWalker, path: string) {
  const left = await browser.get(ground.at(`/sign-in/company?return_to=${path}`));
  return browser.get(await walkCompany(ground, left, 'lena'));
}

const session = (browser: CookieWalker) => browser.cookie('gb_session');

test('the support pages send staff to the company, and back to the page that they opened', async () => {
  const browser = new CookieWalker();
  const back = await signInStaff(ground, browser, { path: '/support/numbers' });
  expect([back.status, back.location]).toEqual([303, '/support/numbers']);
  const page = await browser.get(ground.at('/support'));
  expect(page.status).toBe(200);
  expect(page.body).toContain('lena@corp.example');
  expect(page.body).not.toContain('/apps');
});

test('the request has code, PKCE, state and nonce, and each sign-in has its own', async () => {
  const left = await Promise.all([1, 2].map(() => new CookieWalker().get(ground.at('/sign-in/company'))));
  const [one, other] = left.map(({ location }) => new URL(location ?? '').searchParams);
  expect(Object.fromEntries(one ?? [])).toMatchObject({
    response_type: 'code',
    code_challenge_method: 'S256',
    redirect_uri: ground.at('/sign-in/company/return'),
    scope: 'openid profile email',
  });
  for (const name of ['state', 'nonce', 'code_challenge']) {
    expect(one?.get(name)).toMatch(/^[\w-]{43}$/);
    expect(one?.get(name)).not.toBe(other?.get(name));
  }
});

test('the role comes from the claim', async () => {
  const { id: mappingId } = await waitingToken(ground.system, { accountId: DANA.accountId });
  const act = async (login: string) =>
    (await (await staffBrowser(ground, login)).get(ground.at(`/support/mappings/${mappingId}/revoke`)))
      .status;
  expect([await act('lena'), await act('rio')]).toEqual([200, 403]);
});

test('a person without a mapped group gets a clear page and no session', async () => {
  const browser = new CookieWalker();
  const page = await signInStaff(ground, browser, { login: 'nobody' });
  expect(page.status).toBe(403);
  expect(wordsOf(page)).toContain('None of your groups there has a role');
  expect(session(browser)).toBeUndefined();
  expect((await browser.get(ground.at('/support'))).location).toContain('/sign-in/company');
});

test.each([
  ['a list', ['x', 'support-readers'], 303],
  ['one text', 'support-readers', 303],
  ['an object', { 'support-readers': true }, 403],
  ['a number', 1, 403],
  ['nothing', undefined, 403],
  ['a text that only begins so', 'support-readers-not', 403],
])('a claim that is %s', async (_what, groups, status) => {
  ground.company.users.set('maker', { name: 'M', email: 'm@corp.example', groups });
  const page = await signInStaff(ground, new CookieWalker(), { login: 'maker' });
  expect(page.status).toBe(status);
});

test('the history names the person by issuer and subject, and pages by name and address', async () => {
  const { id: mappingId } = await waitingToken(ground.system, { accountId: DANA.accountId });
  const browser = await staffBrowser(ground);
  const form = await browser.get(ground.at(`/support/mappings/${mappingId}/revoke`));
  const done = await pressIn(browser, form, /Revoke/, { reason: 'asked by the holder' });
  expect(done.status).toBe(303);
  const { durable } = ground.system.bridge.context.store;
  const entries = durable.selectFrom('events').select('actor').where('mapping_id', '=', mappingId);
  expect(await entries.where('action', '=', 'token_revoked').execute()).toEqual([
    { actor: `company:${ground.company.issuer}#lena` },
  ]);
  const page = wordsOf(await browser.get(ground.at(`/support/mappings/${mappingId}`)));
  expect(page).toContain('Lena Lead, lena@corp.example');
  expect(page).toContain(`lena at ${ground.company.issuer}`);
});

test('a sign-in is an entry of the history, with the role', async () => {
  await staffBrowser(ground, 'rio');
  const { durable } = ground.system.bridge.context.store;
  const entries = durable.selectFrom('events').selectAll().where('action', '=', 'staff_signed_in');
  expect((await entries.orderBy('id', 'desc').execute())[0]).toMatchObject({
    actor: `company:${ground.company.issuer}#rio`,
    reason: 'reader: Rio Reader, rio@corp.example',
    account_id: null,
  });
});

test('an account of `staff add` has no access, and no way to the pages of support', async () => {
  await addStaff(ground.system.bridge.context, {
    account: DANA.accountId,
    role: 'lead',
    actor: 'command',
    requestId: null,
  });
  const browser = await browserOf(ground.system);
  const page = await browser.get(ground.at('/support'));
  expect(page.location).toBe('/sign-in/company?return_to=%2Fsupport');
  expect((await browser.get(ground.at('/apps'))).body).not.toContain('href="/support"');
});

test('staff of the company have no pages of owners, and a sign-in there ends theirs', async () => {
  const browser = await staffBrowser(ground);
  expect((await browser.get(ground.at('/apps'))).location).toContain('/sign-in?');
  const asked = await signIn(ground.system, browser);
  expect(asked.body).toContain('href="/support">Stay signed in');
  expect((await browser.get(ground.at('/support'))).status).toBe(200);
  await pressIn(browser, asked, /^Switch to/);
  expect((await browser.get(ground.at('/apps'))).status).toBe(200);
  expect((await browser.get(ground.at('/support'))).location).toContain('/sign-in/company');
});

test('signing out ends the session for whoever holds its cookie', async () => {
  const browser = await staffBrowser(ground);
  const cookie = `gb_session=${session(browser)}`;
  const out = await pressIn(browser, await browser.get(ground.at('/support')), /Sign out/);
  expect(out.location).toBe('/sign-in/company/signed-out');
  const again = await new CookieWalker().get(ground.at('/support'), { cookie });
  expect(again.location).toContain('/sign-in/company');
});

test('somebody else may sign in where one is signed in at the company', async () => {
  const left = await new CookieWalker().get(ground.at('/sign-in/company?other=yes'));
  expect(new URL(left.location ?? '').searchParams.get('prompt')).toBe('login');
});

test('a program is told in its own form that nobody is signed in', async () => {
  const answer = await new CookieWalker().get(ground.at('/support/numbers.json'), {
    accept: 'application/json',
  });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    401,
    expect.stringContaining('application/problem+json'),
  ]);
});

test.each([
  ['an account holder', () => browserOf(ground.system)],
  ['a colleague', () => staffBrowser(ground, 'rio')],
])(
  'where %s is signed in, a sign-in of the company changes nothing until a form says yes',
  async (_, other) => {
    const browser = await other();
    const before = session(browser);
    const page = await signInAt(browser, '/support/numbers');
    expect(page.status).toBe(200);
    expect(wordsOf(page)).toMatch(
      /The sign-in of the company has just named lena@corp\.example.*Nothing was changed/,
    );
    expect(session(browser)).toBe(before);
    expect((await pressIn(browser, page, /^Switch to/)).location).toBe('/support/numbers');
    expect(session(browser)).not.toBe(before);
    expect((await browser.get(ground.at('/support'))).body).toContain('lena@corp.example');
  },
);

test('who signs in at the company again goes on without a question', async () => {
  const browser = await staffBrowser(ground);
  expect((await signInAt(browser, '/support/numbers')).location).toBe('/support/numbers');
});
