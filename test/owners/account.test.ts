import { addStaff } from '../../src/domain/staff.ts';
import { newLegacyToken } from '../../src/shared/ids.ts';
import { CookieWalker, type Page } from '../support/cookie-walker.ts';
import { startSystem, type System } from '../support/system.ts';
import { browserOf, DANA, pressIn, SAM, signIn, wordsOf } from './support/people.ts';

/** /apps/account, and what becomes of a form that was sent too late. */

let system: System;

beforeAll(async () => {
  system = await startSystem();
});

afterAll(() => system.stop());

const at = (path: string) => `${system.bridgeUrl}${path}`;

test('the page says who is signed in, since when, and in how many browsers', async () => {
  const browser = await browserOf(system);
  const words = wordsOf(await browser.get(at('/apps/account')));
  for (const told of [DANA.login, DANA.accountId, 'Dana Demo', 'Only this browser is signed in'])
    expect(words).toContain(told);
  expect(words).not.toContain('Support staff');
  await browserOf(system);
  expect(wordsOf(await browser.get(at('/apps/account')))).toContain('2 browsers');
});

test('staff read their role, as it is now', async () => {
  const browser = await browserOf(system, SAM);
  const by = { actor: 'operator', requestId: null };
  await addStaff(system.bridge.context, { account: SAM.accountId, role: 'agent', ...by });
  expect(wordsOf(await browser.get(at('/apps/account')))).toContain('Support staff agent');
});

test('signing out here leaves other browsers as they are', async () => {
  const [here, there] = [await browserOf(system), await browserOf(system)];
  await pressIn(here, await here.get(at('/apps/account')), /Sign out here/);
  expect((await here.get(at('/apps/account'))).location).toContain('/sign-in');
  expect((await there.get(at('/apps/account'))).status).toBe(200);
});

const TYPED = { name: 'Night “planner” <3', callbacks: 'https://planner.example/cb' };

const appsNamed = (name: string) =>
  system.bridge.context.store.durable
    .selectFrom('apps')
    .select('client_id')
    .where('name', '=', name)
    .execute();

async function signedOutBeforeSending(page: string): Promise<{ browser: CookieWalker; opened: Page }> {
  const browser = await browserOf(system);
  const opened = await browser.get(at(page));
  const other = await browserOf(system);
  await pressIn(other, await other.get(at('/apps/account')), /Sign out everywhere/);
  return { browser, opened };
}

test('a form that was sent signed out is kept, and goes out after a sign-in by one more click', async () => {
  const { browser, opened } = await signedOutBeforeSending('/apps/register');
  const late = await pressIn(browser, opened, /Register/, TYPED);
  expect(late.status).toBe(403);
  expect(wordsOf(late)).toContain('This form has expired');
  expect(late.body).toContain('target="_blank"');
  expect(await appsNamed(TYPED.name)).toEqual([]);

  await signIn(system, browser);
  const asked = await pressIn(browser, late, /Send it again/);
  expect(asked.status).toBe(403);
  expect(wordsOf(asked)).toContain('Do you still want to send it?');
  expect(wordsOf(asked)).toContain('https://planner.example/cb');
  expect(await appsNamed(TYPED.name)).toEqual([]);

  expect((await pressIn(browser, asked, /Send it again/)).status).toBe(200);
  expect(await appsNamed(TYPED.name)).toHaveLength(1);
});

test('what is kept of a late form holds no token and no secret', async () => {
  const token = newLegacyToken();
  const { browser, opened } = await signedOutBeforeSending('/apps/paste-token');
  const late = await pressIn(browser, opened, /Compare/, { token });
  expect(late.status).toBe(403);
  expect(late.body).not.toContain(token.slice(2));
  expect(wordsOf(late)).toContain('pasted again');
  const named = await browser.post(at('/apps/register'), { name: `My ${token}`, client_secret: 'hush' });
  expect(named.body).not.toMatch(new RegExp(`${token.slice(2)}|hush`));
});

test('a sign-out that was not needed any more says so', async () => {
  const { browser, opened } = await signedOutBeforeSending('/apps');
  const late = await pressIn(browser, opened, /Sign out/);
  expect(wordsOf(late)).toContain('You are signed out already');
});
