import { walkUntil } from '../support/callers/authorize.ts';
import { CookieWalker } from '../support/callers/cookie-walker.ts';
import { exchange, read } from '../support/callers/legacy-calls.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { openStoreBreaker, type StoreBreaker } from '../support/database/store-breaker.ts';
import { approvalAddress, authorizePath, openApproval } from './support/authorize-address.ts';
import { type Connected, connectApp, expectUnspent } from './support/connected.ts';
import { CALLBACK, type Door, openDoor } from './support/door.ts';
import { expectRefusal, expectSound, expectTokenError } from './support/expectations.ts';
import { expectAlive, knock } from './support/knock.ts';

/** docs/threats.md C74 and A15: a store that really fails, at each step of the old calls. */

let door: Door;
let connected: Connected;
let breaker: StoreBreaker;

beforeAll(async () => {
  door = await openDoor();
  connected = await connectApp(door);
  breaker = await openStoreBreaker(door.bridge.database);
});

afterAll(async () => {
  await breaker.close();
  await expectAlive(door);
  await door.stop();
});

const whileFailing: StoreBreaker['whileFailing'] = (...given) => breaker.whileFailing(...given);
const whileMissing: StoreBreaker['whileMissing'] = (...given) => breaker.whileMissing(...given);

type Failing = (work: () => Promise<void>) => Promise<void>;

test.each<[string, Failing]>([
  ['the secret is read', (work) => whileMissing('app_secrets', work)],
  ['the code is read', (work) => whileMissing('legacy_codes', work)],
  ['the code is spent', (work) => whileFailing('update on legacy_codes', work)],
  ['the live grant is read', (work) => whileMissing('grants', work)],
  ['the mapping is kept', (work) => whileFailing('insert on mappings', work)],
  ['the history is written', (work) => whileFailing('insert on events', work)],
])('row C74 a store that fails when %s is 503, and the code stays good', async (_step, failing) => {
  const code = await connected.mint();
  await failing(async () => {
    const answer = await exchange(door, code);
    expectTokenError(answer, 503, 'temporarily_unavailable');
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  });
  await expectUnspent(door, connected, code);
});

test('row C74 a replay that cannot be recorded is 503 and gives no token', async () => {
  const code = await connected.mint();
  await expectUnspent(door, connected, code);
  await whileFailing('insert on events', async () => {
    expectTokenError(await exchange(door, code), 503, 'temporarily_unavailable');
  });
  expectTokenError(await exchange(door, code), 400, 'invalid_grant');
});

test('row C74 a resource call whose token cannot be looked up is 503, never 401', async () => {
  await whileMissing('mappings', async () => {
    const answer = await read(door, '/1/profiles.json', connected.token);
    expectRefusal(answer, 503, 1000);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  });
  expect(await read(door, '/1/profiles.json', connected.token)).toMatchObject({ status: 200 });
});

test('row C74 a deauthorization that cannot be kept is 503, and nothing of it has happened', async () => {
  await whileFailing('insert on events', async () => {
    expectRefusal(await read(door, '/1/user/deauthorize.json', connected.token), 503, 1000);
  });
  expect(await read(door, '/1/user.json', connected.token)).toMatchObject({ status: 200 });
  expect(await connected.grant()).toMatchObject({ state: 'ready' });
});

test('row A15 a database that takes no requests does not stop the old address, which keeps none', async () => {
  await whileMissing('authorization_requests', async () => {
    const answer = await knock(door, { path: authorizePath(door.app, { state: 's' }) });
    expect(answer.headers.location).toMatch(approvalAddress(door.bridgeUrl));
  });
});

test('row A15 a decision that cannot be kept is a page, and counts when it is sent again', async () => {
  const { browser, page, field } = await openApproval(door, { state: 's' });
  const deny = () => browser.post(page.url, { _form: field, decision: 'deny' });
  await whileFailing('insert on authorization_requests', async () => {
    expect(await deny()).toMatchObject({ status: 503, location: undefined });
  });
  expect(await deny()).toMatchObject({ location: `${CALLBACK}?error=access_denied&state=s` });
});

test('row A15 a fault before the callback is proven is a page that asks to try again', async () => {
  await whileMissing('apps', async () => {
    const answer = await sendRaw(door.bridgeUrl, { path: authorizePath(door.app) });
    expectSound(answer);
    expect(answer.status).toBe(503);
    expect(answer.headers.location).toBeUndefined();
  });
});

test.each([
  ['the grant', 'insert on grants'],
  ['the code', 'insert on legacy_codes'],
])(
  'row A15 a fault when %s is kept goes back to the app, and the next try succeeds',
  async (_step, statement) => {
    const { browser, page, field } = await openApproval(door, { state: 's' });
    const sent = await browser.post(page.url, { _form: field, decision: 'allow' });
    await whileFailing(statement, async () => {
      const walk = { person: door.person, browser, until: CALLBACK };
      const { location } = await walkUntil(sent.location ?? '', walk);
      expect(location).toMatch(/\?error=(temporarily_unavailable|server_error)&state=s$/);
    });
    const again = await walkUntil(door.bridgeUrl + authorizePath(door.app), {
      person: door.person,
      browser: new CookieWalker(),
      until: CALLBACK,
    });
    expect(again.location).toMatch(/\?code=1\/[A-Za-z0-9]{32}$/);
  },
);

test('row A15 an approval page whose request cannot be read is a page, never a redirect', async () => {
  const { browser, page } = await openApproval(door);
  await whileMissing('authorization_requests', async () => {
    const shown = await browser.get(page.url);
    expect(shown.status).toBe(503);
    expect(shown.location).toBeUndefined();
    expect(shown.body).not.toMatch(/SQLITE|relation/);
  });
});
