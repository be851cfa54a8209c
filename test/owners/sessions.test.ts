import { sql } from 'kysely';
import { startRehearsal } from '../../src/domain/lifecycle/changes/rehearse.ts';
import { endSessionsOf, saveSession, touchSession } from '../../src/domain/accounts/sessions.ts';
import { addStaff } from '../../src/domain/accounts/staff.ts';
import { newLegacyToken } from '../../src/shared/ids.ts';
import { MINUTE, SECOND } from '../../src/shared/lifetimes.ts';
import { CookieWalker, type Page } from '../support/callers/cookie-walker.ts';
import { registerLegacyApp } from '../support/bridge/register-app.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { browserOf, DANA, pressIn, SAM, signIn, wordsOf } from './support/people.ts';

/**
 * How long somebody stays signed in: by the database's time, whatever the cookie says. What /apps/account says of it,
 * and what becomes of a form that was sent too late.
 */

const clock = new SettableClock();
let system: System;

beforeAll(async () => {
  clock.run();
  system = await startSystem({ clock });
});

afterAll(() => system.stop());

const SESSION = 'gb_session';
const OWNER = { actor: `account:${DANA.accountId}`, requestId: null };
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
  const late = await pressIn(browser, opened, /^Look it up$/, { token });
  expect(late.status).toBe(403);
  expect(late.body).not.toContain(token.slice(2));
  expect(wordsOf(late)).toContain('pasted again');
  const named = await browser.post(at('/apps/register'), { name: `My ${token}`, client_secret: 'hush' });
  expect(named.body).not.toMatch(new RegExp(`${token.slice(2)}|hush`));
});

test.each([
  [
    'the choice among tokens',
    '/connect',
    { chosen: 'yes', 'token-0123456789abcdef01234567': 'yes' },
    'Tokens 1 chosen',
  ],
  ['ticked events of a webhook', '/webhooks', { 'token.stopped': 'on' }, 'Send it again'],
  ['the proof of a switch', '', { switch_token: 'a1'.repeat(16) }, 'open the page'],
])('a late form with %s has nothing to paste again', async (_what, path, fields, way) => {
  const address = path === '' ? '/apps/account/switch' : `/apps/${system.app.clientId}${path}`;
  const late = await new CookieWalker().post(at(address), fields, { origin: system.bridgeUrl });
  expect(late.status).toBe(403);
  expect(wordsOf(late)).toContain(way);
  expect(wordsOf(late)).not.toMatch(/pasted again|Token-|switch_token/);
  expect(late.body).not.toContain('a1a1');
});

test('a sign-out that was not needed any more says so', async () => {
  const { browser, opened } = await signedOutBeforeSending('/apps');
  const late = await pressIn(browser, opened, /Sign out/);
  expect(wordsOf(late)).toContain('You are signed out already');
});

test('an hour without a request ends a session, and a request within it does not', async () => {
  const cookie = cookieOf(await browserOf(system));
  for (let hour = 0; hour < 3; hour++) {
    later(59 * MINUTE);
    expect(await isOpen(cookie)).toBe(true);
  }
  later(61 * MINUTE);
  expect(await isOpen(cookie)).toBe(false);
});

test('a page that opens itself again does not keep anybody signed in', async () => {
  const { clientId } = await registerLegacyApp(system.bridge, 'https://mine.example/cb', DANA.accountId);
  const byItself = [`/apps/${clientId}/live?reload=on`, `/apps/${clientId}/rehearse`];
  for (const path of byItself) {
    await startRehearsal(system.bridge.context, { clientId, rehearses: 'retirement', ...OWNER });
    const cookie = cookieOf(await browserOf(system));
    const open = async () => new CookieWalker().get(at(path), { cookie });
    later(2 * MINUTE);
    const page = await open();
    expect(Number(page.headers.get('refresh'))).toBeGreaterThan(0);
    later(59 * MINUTE);
    expect((await open()).status).toBe(303);
  }
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

const idIn = (cookie: string) => decodeURIComponent(cookie).slice(`${SESSION}=s:`.length).split('.')[0] ?? '';

test('a request that began before the session ended does not bring it back', async () => {
  const cookie = cookieOf(await browserOf(system));
  const id = idIn(cookie);
  later(2 * MINUTE);
  const now = clock.now();
  const { expires_at: endsAt } = await kept();
  later(59 * MINUTE);
  await touchSession(system.bridge.context, id, { signedInAt: now, endsAt });
  expect(await isOpen(cookie)).toBe(false);
});

test('a request that changes a session while somebody signs out everywhere does not bring it back', async () => {
  const cookie = cookieOf(await browserOf(system));
  const { content } = await kept();
  const change = () => saveSession(system.bridge.context, idIn(cookie), { content, signedInAt: clock.now() });
  later(MINUTE);
  await change();
  expect(await isOpen(cookie)).toBe(true);
  await endSessionsOf(system.bridge.context, DANA.accountId);
  await change();
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

const isSqlite = () => system.bridge.database.kind === 'sqlite';

test('a session that somebody ends between its start and the answer of the sign-in does not come back', async () => {
  if (!isSqlite()) return;
  const { volatile } = system.bridge.context.store;
  await sql`create table ended_once (id_digest text)`.execute(volatile);
  await sql`create trigger ends_once after insert on sessions when not exists (select 1 from ended_once) begin
    insert into ended_once values (new.id_digest); delete from sessions where id_digest = new.id_digest; end`.execute(
    volatile,
  );
  try {
    const browser = await browserOf(system);
    expect(browser.cookie(SESSION)).toBeDefined();
    expect(await isOpen(cookieOf(browser))).toBe(false);
  } finally {
    await sql`drop trigger ends_once`.execute(volatile);
    await sql`drop table ended_once`.execute(volatile);
  }
  expect(await isOpen(cookieOf(await browserOf(system)))).toBe(true);
});
