import { addStaff } from '../../../src/domain/accounts/staff.ts';
import { HOUR, MINUTE } from '../../../src/shared/lifetimes.ts';
import { browserOf, DANA, pressIn, wordsOf } from '../../owners/support/people.ts';
import { startSecond } from '../../owners/support/second-bridge.ts';
import { logLines } from '../../support/bridge/log-lines.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { linkOf } from '../../support/callers/html-forms.ts';
import {
  companySettings,
  type CompanySystem,
  signInStaff,
  staffBrowser,
  startCompanySystem,
  walkCompany,
} from './support/company-system.ts';
import { claimsIn } from './support/tokens.ts';

/** How long a role of the company lasts, and the way in that does not lead by the company. */

let ground: CompanySystem | undefined;
afterEach(async () => {
  await ground?.stop();
  ground = undefined;
});

async function start(...options: Parameters<typeof startCompanySystem>): Promise<CompanySystem> {
  ground = await startCompanySystem(...options);
  return ground;
}

const statusOf = async (here: CompanySystem, browser: CookieWalker) =>
  (await browser.get(here.at('/support'))).status;

test('a role that the company took away ends with the session, and no use of it makes the session longer', async () => {
  const clock = new SettableClock();
  const here = await start({ clock, env: { STAFF_OIDC_SESSION_MINUTES: '90' } });
  const browser = await staffBrowser(here);
  here.company.users.set('lena', { name: 'Lena Lead', email: 'lena@corp.example', groups: [] });
  clock.advance(50 * MINUTE);
  expect(await statusOf(here, browser)).toBe(200);
  clock.advance(39 * MINUTE);
  expect(await statusOf(here, browser)).toBe(200);
  clock.advance(1 * MINUTE);
  expect(await statusOf(here, browser)).toBe(303);
  expect((await signInStaff(here, browser)).status).toBe(403);
  expect(await statusOf(here, browser)).toBe(303);
});

test('a sign-in to which the company gives no role ends every session that the person has', async () => {
  const here = await start();
  const [browser, elsewhere, ofAnother] = [
    await staffBrowser(here),
    await staffBrowser(here),
    await staffBrowser(here, 'rio'),
  ];
  here.company.users.set('lena', { name: 'Lena Lead', email: 'lena@corp.example', groups: [] });
  const page = await browser.get(
    await walkCompany(here, await browser.get(here.at('/sign-in/company')), 'lena'),
  );
  expect([page.status, wordsOf(page)]).toEqual([403, expect.stringContaining('every session of yours')]);
  expect([await statusOf(here, browser), await statusOf(here, elsewhere)]).toEqual([303, 303]);
  expect(await statusOf(here, ofAnother)).toBe(200);
});

const REVOKE = '/support/mappings/none/revoke';

/** The company changes the groups of Lena, and she signs in with them in a new browser. */
async function signInWith(here: CompanySystem, groups: string[]): Promise<CookieWalker> {
  here.company.users.set('lena', { name: 'Lena Lead', email: 'lena@corp.example', groups });
  return staffBrowser(here);
}

test('a sign-in with a lower role ends the sessions with the higher one, and no others', async () => {
  const here = await start();
  const higher = await staffBrowser(here);
  const lower = await signInWith(here, ['support-readers']);
  const beside = await signInWith(here, ['support-readers']);
  expect(await statusOf(here, higher)).toBe(303);
  expect([await statusOf(here, lower), await statusOf(here, beside)]).toEqual([200, 200]);
  expect((await lower.get(here.at(REVOKE))).status).toBe(403);
  await signInWith(here, ['support leads', 'support-readers']);
  expect(await statusOf(here, lower)).toBe(200);
});

test.each([
  ['none', []],
  ['a lower one', ['support-readers']],
])('a question that waits gives no role where a later sign-in gave %s', async (_what, groups) => {
  const here = await start();
  const browser = await browserOf(here.system);
  const back = await walkCompany(here, await browser.get(here.at('/sign-in/company')), 'lena');
  const question = await browser.get(back);
  expect(wordsOf(question)).toContain('The sign-in of the company has just named lena@corp.example');
  await signInWith(here, groups);
  expect((await pressIn(browser, question, /^Switch to/)).location).toBe('/apps/account');
  expect((await browser.get(here.at('/apps/account'))).status).toBe(200);
  expect(await statusOf(here, browser)).not.toBe(200);
});

/** The company signs Lena in where Dana is signed in, and Dana has read the question for so many minutes. */
async function lateSwitch(sessionMinutes: number, late: number) {
  const clock = new SettableClock();
  const here = await start({ clock, env: { STAFF_OIDC_SESSION_MINUTES: String(sessionMinutes) } });
  const browser = await browserOf(here.system);
  const back = await walkCompany(here, await browser.get(here.at('/sign-in/company')), 'lena');
  const question = await browser.get(back);
  clock.advance(late * MINUTE);
  const { location } = await pressIn(browser, question, /^Switch to/);
  return { here, browser, clock, location };
}

test('an answer that comes late makes no role longer than from the return of the company', async () => {
  const { here, browser, clock, location } = await lateSwitch(60, 20);
  expect(location).toBe('/support');
  clock.advance(39 * MINUTE);
  expect(await statusOf(here, browser)).toBe(200);
  clock.advance(1 * MINUTE);
  expect(await statusOf(here, browser)).toBe(303);
});

test('an answer that comes when the role would be over switches to nobody', async () => {
  const { here, browser, location } = await lateSwitch(10, 10);
  expect(location).toBe('/apps/account');
  expect(await statusOf(here, browser)).not.toBe(200);
  expect((await browser.get(here.at('/apps/account'))).status).toBe(200);
});

test('an hour without a request ends the session before', async () => {
  const clock = new SettableClock();
  const here = await start({ clock });
  const browser = await staffBrowser(here);
  clock.advance(1 * HOUR);
  expect(await statusOf(here, browser)).toBe(303);
});

test('whose session ended under a form is led to the sign-in of the company, and back to the page of the form', async () => {
  const clock = new SettableClock();
  const here = await start({ clock });
  const browser = await staffBrowser(here);
  const path = `/support/apps/${here.system.app.clientId}/extend`;
  const opened = await browser.get(here.at(path));
  clock.advance(1 * HOUR);
  const origin = here.system.bridgeUrl;
  const late = await browser.post(opened.url, { until: '2098-01-01', reason: 'asked' }, { origin });
  expect(late.status).toBe(403);
  const wanted = `/sign-in/company?return_to=${encodeURIComponent(path)}`;
  expect(linkOf(late.body, late.url, /^Sign in/)).toBe(here.at(wanted));
  expect((await signInStaff(here, browser, { path: wanted })).location).toBe(path);
  const out = await pressIn(new CookieWalker(), opened, /^Sign out$/);
  expect(linkOf(out.body, out.url, /as staff/)).toBe(here.at('/sign-in/company'));
});

test.each([
  ['gives the group another role', { STAFF_OIDC_ROLES: 'support leads:reader' }, 403],
  ['gives the group none', { STAFF_OIDC_ROLES: 'others:lead' }, 303],
  ['names another client', { STAFF_OIDC_CLIENT_ID: 'another' }, 303],
  ['names another provider', { STAFF_OIDC_ISSUER: 'http://127.0.0.1:9' }, 303],
  ['has no company sign-in any more', undefined, 303],
])('a running session does not outlive a setting that %s', async (_what, changes, status) => {
  const clock = new SettableClock();
  const here = await start({ clock });
  const browser = await staffBrowser(here);
  const env = changes === undefined ? {} : { ...companySettings(here.company.issuer), ...changes };
  const second = await startSecond(here.system, { clock, env });
  const client = `/support/apps/${here.system.app.clientId}/extend`;
  const asked = await browser.get(`${second.url}${client}`);
  await second.close();
  expect(asked.status).toBe(status);
});

test('with STAFF_OIDC_ALSO_LOCAL an account of `staff add` has access by its own sign-in', async () => {
  const here = await start({ env: { STAFF_OIDC_ALSO_LOCAL: 'on' } });
  await addStaff(here.system.bridge.context, {
    account: DANA.accountId,
    role: 'reader',
    actor: 'command',
    requestId: null,
  });
  expect(await statusOf(here, await browserOf(here.system))).toBe(200);
  await here.company.close();
  const page = await new CookieWalker().get(here.at('/sign-in/company?return_to=/support/desks'));
  expect(page.status).toBe(503);
  expect(linkOf(page.body, page.url, /own account/)).toBe(here.at('/sign-in?return_to=%2Fsupport%2Fdesks'));
});

test('claims that come from the userinfo endpoint count too', async () => {
  const here = await start({}, { claimsInIdToken: false });
  expect((await signInStaff(here, new CookieWalker())).status).toBe(303);
  expect(here.company.calls.map(({ path }) => path)).toEqual(['/token', '/me']);
});

test('a part of a claim that the ID token lacks is read from userinfo, and what both say is as signed', async () => {
  const log = logLines();
  const env = { STAFF_OIDC_ROLE_CLAIM: 'realm_access.roles', STAFF_OIDC_ROLES: 'a:lead,b:reader' };
  const here = await start({ env, log: { level: 'warn', stream: log.stream } }, { claimsInIdToken: false });
  const withClaims = (claims: object) => {
    here.company.changeAnswer = (answer) => {
      const signed = { ...claimsIn(String(answer['id_token'])), ...claims };
      return { ...answer, id_token: here.company.sign(signed) };
    };
  };
  const statusWith = async (atUserInfo: object, signed: object) => {
    const person = { name: 'D', email: 'd@corp.example', realm_access: atUserInfo };
    here.company.users.set('two-places', person);
    withClaims({ realm_access: signed });
    return (await signInStaff(here, new CookieWalker(), { login: 'two-places' })).status;
  };
  expect(await statusWith({ roles: ['a'] }, { verify_caller: true })).toBe(303);
  expect(await statusWith({ roles: ['a'] }, { roles: ['x'] })).toBe(403);
  expect(await statusWith({}, { verify_caller: true })).toBe(403);
  await here.system.bridge.untilLogged();
  const lines = log.lines().map((line) => JSON.parse(line) as Record<string, unknown>);
  const refused = lines.filter(({ message }) => String(message).startsWith('somebody without a role'));
  expect(refused.map((line) => [line['claim'], line['hasRoleClaim']])).toEqual([
    ['realm_access.roles', true],
    ['realm_access.roles', false],
  ]);
});

test('a claim may stand within another, and its value may hold what separates entries', async () => {
  const env = {
    STAFF_OIDC_ROLE_CLAIM: 'realm_access.roles',
    STAFF_OIDC_ROLES: 'CN=Leads%2COU=Support:lead,a:b:reader',
  };
  const here = await start({ env });
  const person = { name: 'D', email: 'd@corp.example' };
  for (const [login, roles, status] of [
    ['one', ['CN=Leads,OU=Support'], 303],
    ['two', ['a:b'], 303],
    ['three', ['CN=Leads'], 403],
  ] as const) {
    here.company.users.set(login, { ...person, realm_access: { roles } } as never);
    expect((await signInStaff(here, new CookieWalker(), { login })).status).toBe(status);
  }
});

test('without the settings the addresses do not exist, and staff sign in as ever', async () => {
  const here = await start();
  const clock = new SettableClock();
  const plain = await startSecond(here.system, { clock, env: {} });
  const page = await new CookieWalker().get(`${plain.url}/sign-in/company`);
  const support = await new CookieWalker().get(`${plain.url}/support`);
  await plain.close();
  expect(page.status).toBe(404);
  expect(wordsOf(page)).toContain('There is no such page');
  expect(support.location).toBe('/sign-in?return_to=%2Fsupport');
});
