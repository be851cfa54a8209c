import { reauthorizationLink } from '../../src/domain/authorization/reauthorize.ts';
import { CookieWalker, type Page } from '../support/callers/cookie-walker.ts';
import { read } from '../support/callers/legacy-calls.ts';
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
 * From a mailed link to connected by one consent (docs/decisions/0031): the consent proves the account and connects the
 * app. It does both for the account of the link, in the browser that began, once; or neither.
 */

let system: System;
let browser: CookieWalker;
let app: RegisteredApp;
let link: string;
let waiting: { id: string; token: string };

const SESSION = 'gb_session';

beforeAll(async () => {
  system = await startSystem();
});

afterAll(() => system.stop());

beforeEach(async () => {
  browser = new CookieWalker();
  app = (await system.registerApp('https://waiting.example/callback')) as RegisteredApp;
  waiting = await waitingToken(system, { app, accountId: DANA.accountId });
  link = await reauthorizationLink(system.bridge.context, {
    clientId: app.clientId,
    accountId: DANA.accountId,
  });
});

const stateNow = async () => (await mappingOf(system, waiting.id)).state;
const requests = async () =>
  system.bridge.context.store.durable
    .selectFrom('authorization_requests')
    .selectAll()
    .where('client_id', '=', app.clientId)
    .execute();
const grants = async () =>
  system.bridge.context.store.durable
    .selectFrom('grants')
    .select(['account_id', 'state'])
    .where('client_id', '=', app.clientId)
    .execute();

/** Whether the browser is signed in, and as whom. */
async function whoIs(walker: CookieWalker): Promise<string | undefined> {
  const { status, body } = await walker.get(`${system.bridgeUrl}/apps/account`);
  return status === 200 ? [DANA.login, SAM.login].find((login) => body.includes(login)) : undefined;
}

/** Nothing was connected, and nobody is signed in. */
async function expectNothing(walker = browser): Promise<void> {
  expect({ state: await stateNow(), grants: await grants(), who: await whoIs(walker) }).toEqual({
    state: 'unmapped',
    grants: [],
    who: undefined,
  });
}

const leave = async (walker = browser): Promise<Page> => pressIn(walker, await walker.get(link), /^Connect$/);

describe('signed out', () => {
  test('one consent connects the app, signs its holder in, and shows what it can read', async () => {
    const left = await leave();
    const asked = new URL(left.location ?? '').searchParams;
    expect([asked.get('scope'), asked.get('prompt')]).toEqual([
      'account:read posts:read posts:write offline_access',
      'consent',
    ]);
    const back = await browser.get(await consentAt(system, left, { person: DANA }));
    expect(back.location).toBe(`/apps/${app.clientId}/connected`);
    expect(await stateNow()).toBe('active');
    expect((await read(system, '/1/user.json', waiting.token)).status).toBe(200);
    const page = await browser.follow(back);
    expect(wordsOf(page)).toMatch(/“Old App” is connected We just read 12 channels of your account/);
    expect(await whoIs(browser)).toBe(DANA.login);
    expect((await historyOf(system, app.clientId)).filter((line) => line.startsWith('granted'))).toEqual([
      'granted: consent',
    ]);
  });

  test('the link, the page and the way to the new API name no account', async () => {
    const page = await browser.get(link);
    const left = await pressIn(browser, page, /^Connect$/);
    for (const text of [page.body, left.location ?? '', browser.cookieHeader(link)])
      for (const secret of [DANA.login, DANA.accountId, 'Dana']) expect(text).not.toContain(secret);
  });

  test('a consent by another account connects nothing, signs nobody in, and one click leads to another account', async () => {
    const back = await browser.get(await consentAt(system, await leave(), { person: SAM }));
    expect(wordsOf(back)).toMatch(new RegExp(`You allowed it as ${SAM.login}.*Nothing was changed`));
    await expectNothing();
    const { durable } = system.bridge.context.store;
    const kept = durable.selectFrom('grants').select('id').where('account_id', '=', SAM.accountId);
    expect(await kept.execute()).toEqual([]);
    const left = await pressIn(browser, back, /^Use another account$/);
    expect(new URL(left.location ?? '').searchParams.get('prompt')).toBe('login consent');
    const end = await browser.get(
      await consentAt(system, left, { person: DANA, browser: new CookieWalker() }),
    );
    expect(end.location).toBe(`/apps/${app.clientId}/connected`);
    expect(await whoIs(browser)).toBe(DANA.login);
  });

  test('a no at the new API connects nothing, signs nobody in, and leads back to the link', async () => {
    const page = await browser.get(await consentAt(system, await leave(), { person: DANA, isDenied: true }));
    expect(wordsOf(page)).toMatch(/You did not allow it on the account page. Back to the link/);
    expect(page.body).toContain(`href="${new URL(link).pathname}"`);
    await expectNothing();
  });

  test('a return in another browser signs nobody in there and connects nothing; its own browser still can, once', async () => {
    const back = await consentAt(system, await leave(), { person: DANA });
    const stranger = new CookieWalker();
    await stranger.get(link);
    const [foreign, signedIn] = [await stranger.get(back), await (await browserOf(system, SAM)).get(back)];
    expect([foreign.status, signedIn.status]).toEqual([403, 403]);
    await expectNothing(stranger);
    expect((await browser.get(back)).status).toBe(303);
    const session = browser.cookie(SESSION);
    expect((await browser.get(back)).status).toBe(403);
    expect(browser.cookie(SESSION)).toBe(session);
  });

  test('a code of another consent does not fit, and signs nobody in', async () => {
    const left = await leave();
    const thief = new CookieWalker();
    const theirs = new URL(await consentAt(system, await leave(thief), { person: SAM }));
    const mine = new URL(await consentAt(system, left, { person: DANA }));
    mine.searchParams.set('code', theirs.searchParams.get('code') ?? '');
    const page = await browser.get(mine.href);
    expect(wordsOf(page)).toContain('Nothing was changed');
    await expectNothing();
  });

  test('a code with the state of somebody else’s consent is refused', async () => {
    await leave();
    const thief = new CookieWalker();
    const theirs = await consentAt(system, await leave(thief), { person: SAM });
    expect((await browser.get(theirs)).status).toBe(403);
    await expectNothing();
  });

  test('two tabs of one link end well: one connection is left, and it works', async () => {
    const [one, two] = [await leave(), await leave()];
    await browser.get(await consentAt(system, one, { person: DANA }));
    const second = await browser.get(await consentAt(system, two, { person: DANA }));
    expect(second.location).toBe(`/apps/${app.clientId}/connected`);
    expect((await read(system, '/1/user.json', waiting.token)).status).toBe(200);
    expect(await whoIs(browser)).toBe(DANA.login);
    expect((await grants()).filter(({ state }) => state !== 'dead')).toHaveLength(1);
  });

  test('a used link asks for who is there alone, and for no consent to anything', async () => {
    await browser.get(await consentAt(system, await leave(), { person: DANA }));
    const later = new CookieWalker();
    const signsIn = await leave(later);
    const left = await later.get(`${system.bridgeUrl}${signsIn.location}`);
    expect(new URL(left.location ?? '').searchParams.get('scope')).toBe('account:read');
    const page = await later.follow(await later.get(await consentAt(system, left, { person: DANA })));
    expect(wordsOf(page)).toContain('Already connected');
    expect(await requests()).toHaveLength(1);
  });
});

/** Where the form of the link leads, and its hidden field in a browser. */
const action = () => link.replace('/apps/', '/');
const fieldOf = (page: Page, walker: CookieWalker) => walker.forms(page)[0]?.fields[0]?.value ?? '';

describe('with a session', () => {
  test('a request that began in a session begins none, also when its person has signed out meanwhile', async () => {
    const dana = await browserOf(system, DANA);
    const left = await pressIn(dana, await dana.get(link), /^Connect$/);
    await pressIn(dana, await dana.get(`${system.bridgeUrl}/apps`), /^Sign out$/);
    await dana.get(await consentAt(system, left, { person: DANA }));
    expect(await stateNow()).toBe('active');
    expect(await whoIs(dana)).toBeUndefined();
  });

  test('another account switches by one form of its own session, which ends; without it nothing happens', async () => {
    const sam = await browserOf(system, SAM);
    const page = await sam.get(link);
    expect((await sam.post(`${link}/switch`, {})).status).toBe(403);
    expect(await whoIs(sam)).toBe(SAM.login);
    const planted = sam.cookie(SESSION);
    const left = await pressIn(sam, page, /^Switch account and connect$/);
    expect(new URL(left.location ?? '').searchParams.get('prompt')).toBe('login consent');
    expect(await whoIs(sam)).toBeUndefined();
    const ended = await new CookieWalker().get(`${system.bridgeUrl}/apps`, {
      cookie: `${SESSION}=${planted}`,
    });
    expect(ended.location).toContain('/sign-in');
    await sam.get(await consentAt(system, left, { person: DANA, browser: new CookieWalker() }));
    expect([await stateNow(), await whoIs(sam)]).toEqual(['active', DANA.login]);
  });

  test('a switch that ends with the first account after all connects nothing and signs nobody in', async () => {
    const sam = await browserOf(system, SAM);
    const left = await pressIn(sam, await sam.get(link), /^Switch account and connect$/);
    const back = await sam.get(await consentAt(system, left, { person: SAM, browser: new CookieWalker() }));
    expect(wordsOf(back)).toContain('Nothing was changed');
    await expectNothing(sam);
  });
});

describe('the form of a link', () => {
  test('is refused without its field, with that of another browser or link, and from another site', async () => {
    const field = fieldOf(await browser.get(link), browser);
    const stranger = new CookieWalker();
    const theirs = fieldOf(await stranger.get(link), stranger);
    const other = await reauthorizationLink(system.bridge.context, {
      clientId: app.clientId,
      accountId: SAM.accountId,
    });
    const ofOther = fieldOf(await browser.get(other), browser);
    expect(new Set([field, theirs, ofOther]).size).toBe(3);
    const sent = [
      await browser.post(action(), {}),
      await browser.post(action(), { _form: theirs }),
      await browser.post(action(), { _form: ofOther }),
      await new CookieWalker().post(action(), { _form: field }),
      await browser.post(action(), { _form: field }, { origin: 'https://evil.example' }),
      await browser.post(action(), { _form: field }, { 'sec-fetch-site': 'cross-site' }),
    ];
    expect(sent.map(({ status }) => status)).toEqual(sent.map(() => 403));
    expect(sent[0]?.body).toContain(`href="${new URL(link).pathname}"`);
    expect(await requests()).toEqual([]);
    expect((await browser.post(action(), { _form: field })).location).toContain('/auth?');
  });

  test('opening changes nothing and keeps nothing, and HEAD begins nothing', async () => {
    await browser.get(link);
    await browser.get(action());
    await fetch(action(), { method: 'HEAD' });
    expect(await requests()).toEqual([]);
    await expectNothing();
  });

  test('who has signed in since is led to the page for signed-in people', async () => {
    const field = fieldOf(await browser.get(link), browser);
    const sam = await browserOf(system, SAM);
    const sent = await sam.post(action(), { _form: field });
    expect(sent.location).toBe(new URL(link).pathname);
    expect(await requests()).toEqual([]);
  });

  test('an unknown link is a page that says so, before anything is read', async () => {
    const unknown = `${system.bridgeUrl}/connect/${'0'.repeat(24)}`;
    expect((await browser.post(unknown, { _form: 'x' })).status).toBe(403);
    expect((await browser.get(unknown.replace('/connect/', '/apps/connect/'))).status).toBe(404);
    expect(browser.cookieHeader(unknown)).toBe('');
    const strange = await browser.post(unknown.replace(/0+$/, '..%2Fevil.example'), { _form: 'x' });
    expect([strange.status, strange.body.includes('evil.example')]).toEqual([404, false]);
  });

  test('forms that nobody opened use up nothing that honest people need', async () => {
    const { counts } = system.bridge.context;
    const key = ['consents from links', '127.0.0.1'];
    while (counts.look(key).points < 149) counts.count(key);
    for (let sent = 0; sent < 3; sent++) await new CookieWalker().post(action(), {});
    expect((await leave()).location).toContain('/auth?');
  });

  test('each opening of a link gives its form the whole time again', async () => {
    const first = (await browser.get(link)).headers.getSetCookie().join();
    const second = (await browser.get(link)).headers.getSetCookie().join();
    expect(first).toMatch(/gb_browser_\w+=[^,]*Max-Age=1800/);
    expect(second.split(';')[0]).toBe(first.split(';')[0]);
    expect(second).toContain('Max-Age=1800');
  });

  test('begins no more consents than a minute allows, for each is kept', async () => {
    const flooded = new CookieWalker();
    const field = fieldOf(await flooded.get(link), flooded);
    const { counts } = system.bridge.context;
    for (let sent = 0; sent < 150; sent++) counts.count(['consents from links', '127.0.0.1']);
    const refused = await flooded.post(action(), { _form: field });
    expect(refused.status).toBe(429);
    expect(await requests()).toEqual([]);
  });
});
