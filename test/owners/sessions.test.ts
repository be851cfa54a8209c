import { touchSession } from '../../src/domain/sessions.ts';
import { MINUTE, SECOND } from '../../src/shared/lifetimes.ts';
import { CookieWalker } from '../support/cookie-walker.ts';
import { SettableClock } from '../support/settable-clock.ts';
import { startSystem, type System } from '../support/system.ts';
import { browserOf, DANA, pressIn, SAM, signIn } from './support/people.ts';

/** How long somebody stays signed in: by the database's time, whatever the cookie says. */

const clock = new SettableClock();
let system: System;

beforeAll(async () => {
  clock.run();
  system = await startSystem({ clock });
});

afterAll(() => system.stop());

const SESSION = 'gb_session';
const at = (path: string) => `${system.bridgeUrl}${path}`;

function later(ms: number): void {
  clock.advance(ms);
  clock.run();
}

const cookieOf = (browser: CookieWalker) => `${SESSION}=${browser.cookie(SESSION)}`;

/** With the cookie alone, which lasts longer in a browser that does not keep to its end. */
async function isOpen(cookie: string): Promise<boolean> {
  const page = await new CookieWalker().get(at('/apps/account'), { cookie });
  return page.status === 200;
}

const kept = () =>
  system.bridge.context.store.volatile
    .selectFrom('sessions')
    .select(['expires_at', 'account_id', 'content'])
    .where('account_id', '=', DANA.accountId)
    .orderBy('expires_at', 'desc')
    .executeTakeFirstOrThrow();

test('an hour without a request ends a session, and a request within it does not', async () => {
  const cookie = cookieOf(await browserOf(system));
  for (let hour = 0; hour < 3; hour++) {
    later(59 * MINUTE);
    expect(await isOpen(cookie)).toBe(true);
  }
  later(61 * MINUTE);
  expect(await isOpen(cookie)).toBe(false);
});

test('twelve hours after the sign-in it ends, however much it is used', async () => {
  const cookie = cookieOf(await browserOf(system));
  for (let minutes = 50; minutes < 12 * 60; minutes += 50) {
    later(50 * MINUTE);
    expect(await isOpen(cookie)).toBe(true);
  }
  later(20 * MINUTE + SECOND);
  expect(await isOpen(cookie)).toBe(false);
});

test('a session in use is written once a minute at most', async () => {
  const cookie = cookieOf(await browserOf(system));
  const { expires_at: before } = await kept();
  later(30 * SECOND);
  await isOpen(cookie);
  expect((await kept()).expires_at).toBe(before);
  later(40 * SECOND);
  await isOpen(cookie);
  expect((await kept()).expires_at).toBeGreaterThanOrEqual(before + 70 * SECOND);
});

test('a request that began before the session ended does not bring it back', async () => {
  const cookie = cookieOf(await browserOf(system));
  const id = decodeURIComponent(cookie).slice(`${SESSION}=s:`.length).split('.')[0] ?? '';
  later(2 * MINUTE);
  const now = clock.now();
  const { expires_at: endsAt } = await kept();
  later(59 * MINUTE);
  await touchSession(system.bridge.context, id, { signedInAt: now, endsAt });
  expect(await isOpen(cookie)).toBe(false);
});

test('a session of which no account is kept opens nothing', async () => {
  const cookie = cookieOf(await browserOf(system));
  await system.bridge.context.store.volatile.updateTable('sessions').set({ account_id: null }).execute();
  expect(await isOpen(cookie)).toBe(false);
});

test('signing out everywhere ends the sessions of all browsers of that account alone', async () => {
  const [here, there, other] = [
    await browserOf(system),
    await browserOf(system),
    await browserOf(system, SAM),
  ];
  const cookies = [here, there, other].map(cookieOf);
  const page = await here.get(at('/apps/account'));
  expect(page.body).toContain('2 browsers');
  const out = await here.follow(await pressIn(here, page, /Sign out everywhere/));
  expect(out.url).toBe(at('/apps/account/signed-out'));
  expect(await Promise.all(cookies.map(isOpen))).toEqual([false, false, true]);
  await signIn(system, here);
  expect((await here.get(at('/apps/account/signed-out'))).location).toBe('/apps/account');
});

test('a sign-in leads back to an address with its query, but keeps nothing there that could be a secret', async () => {
  const led = async (path: string) => {
    const browser = new CookieWalker();
    const asked = await browser.get(at(path));
    const returnTo = new URL(asked.location ?? '', system.bridgeUrl).searchParams.get('return_to') ?? '';
    return (await signIn(system, browser, { returnTo })).location;
  };
  const page = `/apps/${system.app.clientId}/secrets`;
  expect(await led(`${page}?days=7&of=old-api`)).toBe(`${page}?days=7&of=old-api`);
  expect(await led(`${page}?token=${'a1'.repeat(16)}`)).toBe(page);
  expect(await led(`${page}?to=https://evil.example`)).toBe(page);
});
