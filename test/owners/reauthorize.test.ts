import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addApp } from '../../src/cli/commands/apps/apps.ts';
import { makeLinkCommand } from '../../src/cli/commands/tokens/links.ts';
import { migrateDatabase } from '../../src/cli/commands/database/migrate.ts';
import { deauthorize } from '../../src/domain/tokens/deauthorize.ts';
import { reauthorizationLink } from '../../src/domain/authorization/reauthorize.ts';
import { authorize } from '../support/callers/authorize.ts';
import { CookieWalker, type Page } from '../support/callers/cookie-walker.ts';
import { linkOf } from '../support/callers/html-forms.ts';
import { exchange, issueToken, read, tokenOf } from '../support/callers/legacy-calls.ts';
import type { RegisteredApp } from '../support/bridge/register-app.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import {
  browserOf,
  consentAt,
  DANA,
  historyOf,
  mappingOf,
  pressIn,
  SAM,
  waitingToken,
  wordsOf,
} from './support/people.ts';

/**
 * Re-authorization (docs/decisions/0001): one consent of the right account makes every token of the app and account
 * work.
 */

let system: System;
let dana: CookieWalker;
let sam: CookieWalker;
let app: RegisteredApp;
let pair: { clientId: string; accountId: string };
let link: string;

beforeAll(async () => {
  system = await startSystem();
  dana = await browserOf(system, DANA);
  sam = await browserOf(system, SAM);
});

afterAll(() => system.stop());

/** An app with a token of Dana's that waits and one whose connection has ended, and a token of Sam's that waits. */
let mine: Array<{ id: string; token: string }>;
let theirs: { id: string; token: string };

beforeEach(async () => {
  app = (await system.registerApp('https://waiting.example/callback')) as RegisteredApp;
  pair = { clientId: app.clientId, accountId: DANA.accountId };
  mine = [
    await waitingToken(system, { app, accountId: DANA.accountId }),
    await waitingToken(system, { app, accountId: DANA.accountId, state: 'reauthorization_required' }),
  ];
  theirs = await waitingToken(system, { app, accountId: SAM.accountId });
  link = await reauthorizationLink(system.bridge.context, pair);
});

const statesOf = async (tokens: ReadonlyArray<{ id: string }>) =>
  Promise.all(tokens.map(async ({ id }) => (await mappingOf(system, id)).state));
const statusOf = async (token: string) => (await read(system, '/1/user.json', token)).status;
const asked = async () =>
  system.bridge.context.store.durable
    .selectFrom('authorization_requests')
    .select('id')
    .where('client_id', '=', app.clientId)
    .execute();
const untouched = ['unmapped', 'reauthorization_required'];

/** A code of the app for a person. */
async function codeOf(person: typeof SAM): Promise<string> {
  const { code = '' } = await authorize({ bridgeUrl: system.bridgeUrl, app, person });
  return decodeURIComponent(code);
}

/** From a page's Connect through the modern consent of a person; answers what the return gives in the first browser. */
async function connectFrom(page: Page, person = DANA, isDenied = false): Promise<Page> {
  const left = await pressIn(dana, page, /^Connect$/);
  return dana.get(await consentAt(system, left, { person, isDenied }));
}

test('the link connects every token of the app and account by one consent, and no other', async () => {
  const back = await connectFrom(await dana.get(link));
  expect(back.location).toBe(`/apps/${app.clientId}/connected`);
  const page = await dana.follow(back);
  expect(wordsOf(page)).toMatch(/“Old App” is connected.*We just read 12 channels/);
  expect(wordsOf(page)).toMatch(/2 tokens connected/);
  expect(await Promise.all(mine.map(({ token }) => statusOf(token)))).toEqual([200, 200]);
  expect(await statusOf(theirs.token)).toBe(401);
  expect(await historyOf(system, app.clientId)).toEqual([
    'app_registered: registration',
    'token_issued: the owner token of a registration',
    'granted: consent',
    'token_connected: consent',
    'token_connected: consent',
  ]);

  const { durable } = system.bridge.context.store;
  const row = durable.selectFrom('reauthorization_links').selectAll().where('client_id', '=', app.clientId);
  expect((await row.executeTakeFirst())?.used_at).toEqual(expect.any(Number));
  const again = await dana.get(link);
  expect(wordsOf(again)).toContain('Already connected');
  expect(dana.forms(again).map(({ action }) => action)).toEqual([`${system.bridgeUrl}/sign-out`]);
});

test('the consent asks for every scope and not only for who is there', async () => {
  const left = await pressIn(dana, await dana.get(link), /^Connect$/);
  const { searchParams } = new URL(left.location ?? '');
  expect(searchParams.get('scope')).toBe('account:read posts:read posts:write offline_access');
});

test('there is one link for an app and account, whoever asks for it and how often', async () => {
  const others = await Promise.all([1, 2].map(() => reauthorizationLink(system.bridge.context, pair)));
  const samsLink = await reauthorizationLink(system.bridge.context, { ...pair, accountId: SAM.accountId });
  expect(others).toEqual([link, link]);
  expect(samsLink).not.toBe(link);
});

test('opening the link changes nothing: signed out, signed in, by HEAD, by somebody else', async () => {
  const nobody = new CookieWalker();
  const signedOut = await nobody.get(link);
  expect(signedOut.status).toBe(200);
  expect(nobody.forms(signedOut).map(({ action }) => action)).toEqual([link.replace('/apps/', '/')]);
  expect(signedOut.body).not.toContain(DANA.login);
  expect((await fetch(link, { method: 'HEAD' })).status).toBe(200);
  await dana.get(link);
  const foreign = await sam.get(link);
  expect(wordsOf(foreign)).toContain('This link is for another account');
  expect(foreign.body).not.toContain(DANA.login);
  expect(foreign.body).not.toContain(DANA.accountId);
  expect(sam.forms(foreign).map(({ action }) => action)).toEqual([
    `${system.bridgeUrl}/sign-out`,
    `${link}/switch`,
  ]);
  expect(await statesOf([...mine, theirs])).toEqual([...untouched, 'unmapped']);
  expect(await asked()).toEqual([]);
});

test('somebody else cannot send the form of the link either', async () => {
  const field = sam.forms(await sam.get(link))[0]?.fields[0]?.value ?? '';
  const sent = await sam.post(link, { _form: field });
  expect(sent.location).toBe(new URL(link).pathname);
  expect(await asked()).toEqual([]);
});

test('a consent by another account changes nothing for either, and says so', async () => {
  const standing = tokenOf(await exchange(system, await codeOf(SAM), app));
  const before = await historyOf(system, app.clientId);
  const back = await connectFrom(await dana.get(link), SAM);
  expect(back.status).toBe(200);
  expect(wordsOf(back)).toContain(`You allowed it as ${SAM.login}`);
  expect(wordsOf(back)).toContain('Nothing was changed');
  expect(await statesOf(mine)).toEqual(untouched);
  expect(await historyOf(system, app.clientId)).toEqual(before);
  expect(system.proxy.revoked()).toEqual([]);
  expect(await statusOf(standing)).toBe(200);
  expect((await connectFrom(await dana.get(link))).location).toMatch(/\/connected$/);
});

/** From the page after a return, by one click, to the consent of Dana at a new API that asks who is there. */
async function takeAnother(page: Page): Promise<Page> {
  const left = await pressIn(dana, page, /^Use another account$/);
  expect(new URL(left.location ?? '').searchParams.get('prompt')).toBe('login consent');
  return dana.get(await consentAt(system, left, { person: DANA, browser: new CookieWalker() }));
}

test.each([false, true])(
  'one click leads past the account that is signed in there (denied: %s)',
  async (isDenied) => {
    const back = await connectFrom(await dana.get(link), SAM, isDenied);
    expect((await takeAnother(back)).location).toMatch(/\/connected$/);
    expect(await statesOf(mine)).toEqual(['active', 'active']);
  },
);

test('who is not signed in here any more is led to the sign-in with another account', async () => {
  const browser = await browserOf(system);
  const left = await pressIn(browser, await browser.get(link), /^Connect$/);
  await pressIn(browser, await browser.get(`${system.bridgeUrl}/apps`), /^Sign out$/);
  const back = await browser.get(await consentAt(system, left, { person: SAM }));
  expect(browser.forms(back)).toEqual([]);
  const signIn = `/sign-in?return_to=${encodeURIComponent(`/apps/${app.clientId}`)}&account=another`;
  expect(linkOf(back.body, back.url, /^Sign in$/)).toBe(system.bridgeUrl + signIn);
});

test('a denied consent changes nothing, says so, and leads back', async () => {
  const back = await connectFrom(await dana.get(link), DANA, true);
  expect(wordsOf(back)).toMatch(/Nothing was changed.*You did not allow it/);
  expect(linkOf(back.body, back.url, /Back/)).toBe(`${system.bridgeUrl}/apps/${app.clientId}`);
  expect(await statesOf(mine)).toEqual(untouched);
});

test('a consent whose tokens have ended meanwhile keeps nothing at the modern side alive, and says so', async () => {
  const left = await pressIn(dana, await dana.get(link), /^Connect$/);
  const back = await consentAt(system, left, { person: DANA });
  const ending = { actor: 'command', requestId: null, reason: 'a test' };
  await deauthorize(system.bridge.context, pair, ending);
  const page = await dana.follow(await dana.get(back));
  expect(page.url).toBe(`${system.bridgeUrl}/apps/${app.clientId}?done=nothing-waits-any-more`);
  expect(wordsOf(page)).toMatch(/Nothing was connected.*2 tokens revoked/);
  const { durable } = system.bridge.context.store;
  const grants = durable.selectFrom('grants').select('id').where('client_id', '=', app.clientId);
  expect(await grants.execute()).toEqual([]);
  expect(await historyOf(system, app.clientId)).not.toContain('granted: consent');
  expect(system.proxy.revoked()).toEqual([]);
  expect(await statusOf(await issueToken(system, { app }))).toBe(200);
});

test('a return that another browser takes is refused and connects nothing', async () => {
  const left = await pressIn(dana, await dana.get(link), /^Connect$/);
  const back = await consentAt(system, left, { person: DANA });
  expect((await sam.get(back)).status).toBe(403);
  expect(await statesOf(mine)).toEqual(untouched);
  expect((await dana.get(back)).location).toMatch(/\/connected$/);
  expect((await dana.get(back)).status).toBe(403);
});

test('an ordinary authorization through the old flow takes the waiting tokens along', async () => {
  const issued = await issueToken(system, { app });
  expect(await Promise.all([issued, ...mine.map(({ token }) => token)].map(statusOf))).toEqual([
    200, 200, 200,
  ]);
  expect(await statusOf(theirs.token)).toBe(401);
  const grants = await Promise.all(mine.map(async ({ id }) => (await mappingOf(system, id)).grantId));
  expect(new Set(grants).size).toBe(1);
});

test('the page of the app tells a stranger its name alone', async () => {
  const page = await new CookieWalker().get(`${system.bridgeUrl}/apps/${app.clientId}`);
  expect(page.status).toBe(200);
  expect(wordsOf(page)).toContain('Old App');
  expect(page.body).not.toMatch(/token|waiting\.example|owner@/);
});

test('the page of the app shows each state in words and connects from there', async () => {
  await waitingToken(system, { app, accountId: DANA.accountId, state: 'revoked' });
  await waitingToken(system, { app, accountId: DANA.accountId, state: 'migrated' });
  const page = await dana.get(`${system.bridgeUrl}/apps/${app.clientId}`);
  expect(wordsOf(page)).toMatch(/1 token stopped.*1 token waiting.*1 token moved.*1 token revoked/);
  expect(wordsOf(page)).not.toContain('What your program needs');
  const shown = await dana.follow(await connectFrom(page));
  expect(wordsOf(shown)).toMatch(/2 tokens connected.*1 token moved.*1 token revoked/);
});

test('the list of apps has a button for each app that needs one', async () => {
  const page = await dana.get(`${system.bridgeUrl}/apps`);
  const left = await pressIn(dana, { ...page, body: cardOf(page, app.clientId) }, /^Connect/);
  await dana.get(await consentAt(system, left, { person: DANA }));
  expect(await statesOf(mine)).toEqual(['active', 'active']);
  expect(cardOf(await dana.get(`${system.bridgeUrl}/apps`), app.clientId)).not.toContain('Connect again');
});

/** The part of the list that is about one app. */
function cardOf({ body }: Page, clientId: string): string {
  return (
    body
      .split('<section')
      .find((part) => part.includes(`app-${clientId}`))
      ?.replace(/^/, '<section') ?? ''
  );
}

test('revoking asks first, and ends the app for this account alone', async () => {
  await connectFrom(await dana.get(link));
  const asks = await dana.get(`${system.bridgeUrl}/apps/${app.clientId}/revoke`);
  expect(wordsOf(asks)).toContain('both of its tokens end for good');
  expect(await statusOf(mine[0]?.token ?? '')).toBe(200);
  const page = await dana.follow(await pressIn(dana, asks, /^Revoke$/));
  expect(wordsOf(page)).toContain('Revoked. The app cannot use your account any more.');
  expect(await statesOf([...mine, theirs])).toEqual(['revoked', 'revoked', 'unmapped']);
  expect(await statusOf(mine[0]?.token ?? '')).toBe(401);
});

test('the operator gets the link from a command, and only for an app and account that can be meant', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'links-'));
  const before = process.env;
  process.env = {
    ...before,
    VAR_DIR: folder,
    PUBLIC_URL: 'https://bridge.example',
    TRUST_PROXY: '127.0.0.1',
  };
  try {
    await migrateDatabase({});
    const added = await addApp({ name: 'App', callback: ['https://app.example/cb'], owner: SAM.accountId });
    const names = { app: added.json['client_id'], account: DANA.accountId };
    const { json, lines } = await makeLinkCommand(names);
    expect(json['link']).toMatch(/^https:\/\/bridge\.example\/apps\/connect\/[0-9a-f]{24}$/);
    expect((await makeLinkCommand(names)).lines).toEqual(lines);
    await expect(makeLinkCommand({ ...names, app: 'unknown' })).rejects.toThrow('no app is registered');
    await expect(makeLinkCommand({ ...names, account: DANA.login })).rejects.toThrow('an account id');
  } finally {
    process.env = before;
    rmSync(folder, { recursive: true });
  }
});
