import { MINUTE, SESSION_IDLE } from '../../../src/shared/lifetimes.ts';
import { browserOf, consentAt, DANA, pressIn, signIn, wordsOf } from '../../owners/support/people.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { CookieWalker, type Page } from '../../support/callers/cookie-walker.ts';
import {
  type CompanySystem,
  staffBrowser,
  startCompanySystem,
  walkCompany,
} from './support/company-system.ts';

/** A sign-out of staff: the session at the company goes on, and must sign nobody in here by itself. */

const clock = new SettableClock();
let ground: CompanySystem;

beforeAll(async () => {
  clock.run();
  ground = await startCompanySystem({ clock });
});
afterAll(() => ground.stop());

const START = '/sign-in/company?return_to=/support/numbers';

const leave = (browser: CookieWalker) => browser.get(ground.at(START));

const promptOf = ({ location }: Page) => new URL(location ?? '').searchParams.get('prompt');

async function signOut(browser: CookieWalker): Promise<Page> {
  clock.advance(1);
  return pressIn(browser, await browser.get(ground.at('/support')), /Sign out/);
}

test('the page after it says what stays, and leads to the sign-in', async () => {
  const browser = await staffBrowser(ground);
  const out = await signOut(browser);
  const page = await browser.get(ground.at(out.location ?? ''));
  expect(page.status).toBe(200);
  expect(wordsOf(page)).toContain(
    `You may still be signed in at your company (${new URL(ground.company.issuer).host})`,
  );
  expect(page.body).toContain('href="/sign-in/company"');
});

test('the next sign-in of the company asks who is there, and the one after it does not', async () => {
  const browser = await staffBrowser(ground);
  expect(promptOf(await leave(browser))).toBeNull();
  await signOut(browser);
  const left = await leave(browser);
  expect(promptOf(left)).toBe('login');
  expect((await browser.get(await walkCompany(ground, left, 'lena'))).location).toBe('/support/numbers');
  expect(promptOf(await leave(browser))).toBeNull();
  const page = await browser.get(ground.at('/sign-in/company/signed-out'));
  expect([page.status, page.location]).toEqual([303, '/support']);
});

test('a sign-in of the company that began before it signs nobody in', async () => {
  const browser = await staffBrowser(ground);
  const left = await leave(browser);
  await signOut(browser);
  const page = await browser.get(await walkCompany(ground, left, 'lena'));
  expect(wordsOf(page)).toMatch(/Somebody signed out in this browser after this sign-in began/);
  expect(page.body).toContain('href="/sign-in/company?return_to=%2Fsupport%2Fnumbers"');
  expect((await browser.get(ground.at('/support'))).location).toContain('/sign-in/company');
});

const signInOfOwners = (browser: CookieWalker) => browser.get(ground.at('/sign-in'));

test('a sign-out after the session ran out makes the next sign-ins ask too, of the company and of accounts', async () => {
  const browser = await staffBrowser(ground);
  const page = await browser.get(ground.at('/support'));
  clock.advance(SESSION_IDLE + MINUTE);
  const elsewhere = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  await browser.post(ground.at('/sign-out'), {}, elsewhere);
  expect(promptOf(await leave(browser))).toBeNull();
  const out = await pressIn(browser, page, /Sign out/);
  expect([out.status, wordsOf(out)]).toEqual([403, expect.stringContaining('You are signed out already')]);
  expect(promptOf(await leave(browser))).toBe('login');
  expect(promptOf(await signInOfOwners(browser))).toBe('login');
});

test('a switch to staff of the company ends the mark of their sign-out', async () => {
  const browser = await staffBrowser(ground);
  await signOut(browser);
  await signIn(ground.system, browser);
  const left = await leave(browser);
  expect(promptOf(left)).toBe('login');
  await pressIn(browser, await browser.get(await walkCompany(ground, left, 'lena')), /^Switch to/);
  expect(promptOf(await leave(browser))).toBeNull();
});

async function staffAfterOwner(browser: CookieWalker): Promise<void> {
  clock.advance(1);
  await pressIn(browser, await browser.get(ground.at('/apps/account')), /^Sign out here$/);
  await browser.get(await walkCompany(ground, await leave(browser), 'lena'));
}

describe('where staff signed in after an account holder signed out', () => {
  test('a switch to the account ends the mark of the sign-out', async () => {
    const browser = await browserOf(ground.system);
    await staffAfterOwner(browser);
    const left = await signInOfOwners(browser);
    expect(promptOf(left)).toBe('login');
    const asked = await browser.get(await consentAt(ground.system, left, { person: DANA }));
    await pressIn(browser, asked, /^Switch to/);
    expect(promptOf(await signInOfOwners(browser))).toBeNull();
  });

  test('a sign-in that began before the sign-out offers no switch', async () => {
    const browser = await browserOf(ground.system);
    const left = await signInOfOwners(browser);
    await staffAfterOwner(browser);
    const page = await browser.get(await consentAt(ground.system, left, { person: DANA }));
    expect(wordsOf(page)).toMatch(/Somebody signed out in this browser after this sign-in began/);
    expect((await browser.get(ground.at('/support'))).body).toContain('lena@corp.example');
  });
});
