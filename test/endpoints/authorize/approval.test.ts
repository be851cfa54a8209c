import { findApp } from '../../../src/store/apps/apps.ts';
import { type AuthorizeOptions, walkUntil } from '../../support/callers/authorize.ts';
import { CookieWalker, type Page } from '../../support/callers/cookie-walker.ts';
import { authorizeIn, exchangeFields, freshCode } from '../../support/callers/legacy-calls.ts';
import {
  type OpenApproval,
  openApproval,
  authorizePath,
  phaseOf,
  rowsOf,
} from '../support/authorize-address.ts';
import { exchangeForm } from '../support/connected.ts';
import { CALLBACK, type Door, openDoor } from '../support/door.ts';
import { type Answered, expectMethodRefused, expectPage, expectRedirect } from '../support/expectations.ts';
import { expectAlive, knock } from '../support/knock.ts';

/** The page on which a person decides: docs/threats.md A13, A16, A17, A19, B41 to B45, B47, B48, B51, B52. */

let door: Door;

beforeAll(async () => {
  door = await openDoor();
});

afterAll(async () => {
  await expectAlive(door);
  await door.stop();
});

const answered = ({ status, headers, body }: Page): Answered => ({
  status,
  headers: Object.fromEntries(headers),
  text: body,
  json: undefined,
});

type Sent = Record<string, string>;

function decide({ browser, page, field }: OpenApproval, fields: Sent, headers: Sent = {}): Promise<Page> {
  return browser.post(page.url, { _form: field, decision: 'allow', ...fields }, headers);
}

/** The rest of the way for a browser that the bridge has sent on; the redirect to the app. */
async function goOn(page: Page, browser: CookieWalker): Promise<string> {
  const walk: Omit<AuthorizeOptions, 'bridgeUrl' | 'app'> = { person: door.person, browser };
  return (await walkUntil(page.location ?? '', { ...walk, until: CALLBACK })).location;
}

async function expectUndecided(open: OpenApproval): Promise<void> {
  expect(await phaseOf(door, open.id)).toBe('new');
  expect(await decide(open, { decision: 'deny' })).toMatchObject({ status: 302 });
}

test('row A13 a denial goes back to the app as access_denied with its state', async () => {
  const page = await decide(await openApproval(door, { state: 'a b/é' }), { decision: 'deny' });
  expectRedirect(answered(page), `${CALLBACK}?error=access_denied&state=a+b%2F%C3%A9`);
});

test('row A13 a denial on the modern side goes back to the app as access_denied too', async () => {
  const open = await openApproval(door, { state: 's' });
  const page = await decide(open, {});
  const walk = { person: door.person, browser: open.browser, decide: () => 'deny' as const, until: CALLBACK };
  const { location } = await walkUntil(page.location ?? '', walk);
  expect(location).toBe(`${CALLBACK}?error=access_denied&state=s`);
});

test('rows A14 and A16 success goes back by 302 with a raw slash in the code and the state as it was', async () => {
  const answer = await authorizeIn(door, { state: '%2B+ü' });
  expect(answer.status).toBe(302);
  expect(answer.location).toMatch(
    /^https:\/\/app\.example\.com\/cb\?code=1\/[A-Za-z0-9]{32}&state=%252B%2B%C3%BC$/,
  );
  expect((await authorizeIn(door)).location).toMatch(/\?code=1\/[A-Za-z0-9]{32}$/);
});

test('row A16 a code is bound to its app', async () => {
  const [code, other] = [await freshCode(door), await door.addApp()];
  const refused = await exchangeForm(door, exchangeFields(other, code));
  expect(refused).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
  expect(await exchangeForm(door, exchangeFields(door.app, code))).toMatchObject({ status: 200 });
});

test('rows A17, A19 and B51 the page stands in no frame, asks nothing from elsewhere and tells no referrer', async () => {
  const { page } = await openApproval(door);
  expectPage(answered(page), 200);
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/script-src|unsafe/);
});

test('row A22 no page and no redirect of the way parts a window from the app that opened it', async () => {
  const open = await openApproval(door);
  const policies = [open.page.headers.get('cross-origin-opener-policy')];
  const seen = async (page: Page) => {
    policies.push(page.headers.get('cross-origin-opener-policy'));
    return page;
  };
  const get = open.browser.get.bind(open.browser);
  const post = open.browser.post.bind(open.browser);
  open.browser.get = async (...asked) => seen(await get(...asked));
  open.browser.post = async (...sent) => seen(await post(...sent));
  await goOn(await decide(open, {}), open.browser);
  expect(policies.length).toBeGreaterThan(4);
  expect(policies.filter((policy) => policy !== null)).toEqual([]);
});

// docs/threats.md B41 decides: HEAD has no effect on any old path.
test('row B41 HEAD in a browser that has consented before makes neither a request nor a code', async () => {
  const browser = new CookieWalker();
  await authorizeIn(door, { browser });
  const before = await rowsOf(door);
  const answer = await knock(door, { method: 'HEAD', path: authorizePath(door.app) });
  expectMethodRefused(answer, 'GET');
  expect(answer.text).toBe('');
  expect(await rowsOf(door)).toEqual(before);
});

test('row B41 HEAD on an approval page decides nothing', async () => {
  const open = await openApproval(door);
  const name = `gb_browser_${open.id}`;
  const headers = { cookie: `${name}=${open.browser.cookie(name)}` };
  const answer = await knock(door, { method: 'HEAD', path: new URL(open.page.url).pathname, headers });
  expect(answer.text).toBe('');
  await expectUndecided(open);
});

test.each([
  ['without', ''],
  ['with a wrong', 'a'.repeat(64)],
])('row B42 a decision %s form token is refused', async (_case, field) => {
  const open = await openApproval(door);
  expectPage(answered(await decide(open, { _form: field })), 403);
  await expectUndecided(open);
});

test("row B42 a decision with another browser's form token is refused", async () => {
  const [open, other] = [await openApproval(door), await openApproval(door)];
  expectPage(answered(await decide(open, { _form: other.field })), 403);
  await expectUndecided(open);
});

test.each([
  ['another origin', { origin: 'https://evil.example' }],
  ['another site', { 'sec-fetch-site': 'cross-site' }],
  ['a sister site', { 'sec-fetch-site': 'same-site' }],
])('row B42 a decision that comes from %s is refused', async (_case, headers) => {
  const open = await openApproval(door);
  expectPage(answered(await decide(open, {}, headers)), 403);
  await expectUndecided(open);
});

test('row B43 a decision counts once', async () => {
  const open = await openApproval(door);
  const first = await decide(open, {});
  expect(first).toMatchObject({ status: 302 });
  expectPage(answered(await decide(open, { decision: 'deny' })), 404);
  expectPage(answered(await open.browser.get(open.page.url)), 404);
  await goOn(first, open.browser);
  // The return has taken the cookie away.
  expectPage(answered(await decide(open, {})), 403);
  expect(await phaseOf(door, open.id)).toBe('returned');
});

// The browser shows only the answer to the last click, whichever was served first.
test('row B43 clicks on Allow lead to one consent, which gives one code', async () => {
  const [open, before] = [await openApproval(door), await rowsOf(door)];
  const together = await Promise.all([decide(open, {}), decide(open, {})]);
  const pages = [...together, await decide(open, {})];
  const [consent] = pages.map(({ location }) => location);
  for (const page of pages) expect(page).toMatchObject({ status: 302, location: consent });
  expect(await rowsOf(door)).toEqual({ ...before, requests: before.requests + 1 });
  const code = /\?code=([^&]+)$/.exec(await goOn(pages[2] as Page, open.browser))?.[1] ?? '';
  expect(await exchangeForm(door, exchangeFields(door.app, code))).toMatchObject({ status: 200 });
  expect(await rowsOf(door)).toMatchObject({ codes: before.codes + 1 });
});

test('row B43 a click on Allow after the app got a client of its own does not mix the two clients', async () => {
  const open = await openApproval(door);
  expect(await decide(open, {})).toMatchObject({ status: 302 });
  await durable()
    .updateTable('authorization_requests')
    .set({ modern_client_id: 'the-client-before' })
    .where('id', '=', open.id)
    .execute();
  expectPage(answered(await decide(open, {})), 404);
});

test('rows B43 and B44 fields added to the form change neither callback, app, scope nor any row', async () => {
  const [open, before] = [await openApproval(door), await findApp(durable(), door.app.clientId)];
  const page = await decide(open, {
    client_id: 'evil',
    redirect_uri: 'https://evil.example/cb',
    scope: 'everything',
    account_id: '2',
    role: 'admin',
    client_secret: 'mine',
    state: 'evil',
  });
  expect(page.location).not.toMatch(/evil|everything/);
  const location = await goOn(page, open.browser);
  const code = /^https:\/\/app\.example\.com\/cb\?code=([^&]+)$/.exec(location)?.[1] ?? '';
  expect(await exchangeForm(door, exchangeFields(door.app, code))).toMatchObject({ status: 200 });
  expect(await findApp(durable(), door.app.clientId)).toEqual(before);
});

const durable = () => door.bridge.context.store.durable;

// The bridge keeps no login at approval (docs/decisions/0018): its cookie only ties one request to one browser.
test('row B45 a cookie set from outside opens no request of another browser', async () => {
  const open = await openApproval(door);
  for (const value of ['a'.repeat(43), 'short', '"; drop', '']) {
    const headers = { cookie: `gb_browser_${open.id}=${value}` };
    const answer = await knock(door, { path: new URL(open.page.url).pathname, headers });
    expectPage(answer, 403);
  }
  await expectUndecided(open);
});

test('row B45 the cookie is out of reach of scripts and other sites, and one of another form is replaced', async () => {
  const { id, page } = await openApproval(door);
  const { pathname } = new URL(page.url);
  const answer = await knock(door, {
    path: pathname,
    headers: { cookie: `gb_browser_${id}=chosen-by-an-attacker` },
  });
  const [cookie] = answer.headers['set-cookie'] ?? [];
  expect(cookie).toMatch(
    /^gb_browser_[0-9a-f]{24}=[A-Za-z0-9_-]{43}; Max-Age=1800; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
  );
});

test('row B47 a second authorization of the same app in the same browser asks again', async () => {
  const browser = new CookieWalker();
  await authorizeIn(door, { browser });
  const { page } = await openApproval(door, {}, browser);
  expect(page).toMatchObject({ status: 200, body: expect.stringContaining('decision') });
});

test('row B48 the name of an app is text, not markup', async () => {
  const app = await door.addApp({ name: '<img src=x onerror=alert(1)>"\'' });
  const { page } = await openApproval(door, { client_id: app.clientId });
  expect(page.status).toBe(200);
  expect(page.body).not.toMatch(/<img/i);
  expect(page.body).toContain('&lt;img');
});

test('row B52 denied, then back and allowed: the denial stands', async () => {
  const open = await openApproval(door);
  const before = await rowsOf(door);
  expectRedirect(answered(await decide(open, { decision: 'deny' })), `${CALLBACK}?error=access_denied`);
  expectPage(answered(await decide(open, {})), 404);
  expect(await phaseOf(door, open.id)).toBe('denied');
  // The denial itself is all that was kept.
  expect(await rowsOf(door)).toEqual({ ...before, requests: before.requests + 1 });
});

test('row B52 allowed and denied at the same moment has one outcome', async () => {
  const open = await openApproval(door);
  const pages = await Promise.all([decide(open, {}), decide(open, { decision: 'deny' }), decide(open, {})]);
  const redirects = pages.filter(({ status }) => status === 302);
  expect(new Set(redirects.map(({ location }) => location)).size).toBe(1);
  expect(pages.every(({ status }) => status < 500)).toBe(true);
});
