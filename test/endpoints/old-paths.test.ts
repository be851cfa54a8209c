import { OLD_CALL_NAMES, OLD_CALLS } from '../../src/domain/old-calls/old-calls.ts';
import { type OldBackend, startOldBackend } from '../support/servers/old-backend.ts';
import { exchangeFields } from '../support/callers/legacy-calls.ts';
import { rawForm, sendRaw } from '../support/callers/raw-request.ts';
import { addWaitingToken } from '../support/bridge/waiting-token.ts';
import { type Door, openDoor } from './support/door.ts';
import { connectApp } from './support/connected.ts';
import { expectMethodRefused, expectRefusal, expectTokenError } from './support/expectations.ts';

/** Spellings of old addresses: what is the same call, what goes to the old API, and as what. */

const WAITING = `1/${'a1'.repeat(16)}`;
const CONNECTED = `1/${'b2'.repeat(16)}`;
const ID = '4eb854340acb04e870000010';

let old: OldBackend;
let door: Door;

beforeAll(async () => {
  const account = { tokens: [WAITING, CONNECTED], user: { id: ID }, profiles: [{ id: ID }] };
  old = await startOldBackend({ accounts: [account] });
  door = await openDoor({ env: { LEGACY_BACKEND_URL: old.url } });
  const { bridge, app } = door;
  const { mappingId } = await addWaitingToken(bridge, { clientId: app.clientId, token: CONNECTED });
  await connectApp(door, app);
  const { durable } = bridge.context.store;
  const grant = await durable.selectFrom('grants').selectAll().executeTakeFirstOrThrow();
  const standing = { state: 'active', grant_id: grant.id, account_id: grant.account_id } as const;
  await durable.updateTable('mappings').set(standing).where('id', '=', mappingId).execute();
  const { clientId } = await door.addApp();
  await addWaitingToken(bridge, { clientId, token: WAITING });
});

beforeEach(async () => {
  old.requests.length = 0;
  await old.setBehaviour('normal');
});

afterAll(async () => {
  await door.stop();
  await old.close();
});

const call = (path: string, token: string, method = 'GET') =>
  sendRaw(door.bridgeUrl, { method, path, headers: { authorization: `Bearer ${token}` } });

const targets = () => old.requests.map(({ target }) => target);

const PLAIN = OLD_CALL_NAMES.filter((name) => name !== 'deauthorize').map((name) =>
  OLD_CALLS[name].paths[0].replace(':id', ID),
);

test.each(PLAIN)('%s goes to the old API in its plain spelling, whatever the slashes', async (path) => {
  const method = 'POST';
  const doubled = path.replaceAll('/', '//');
  await call(`/${path}.json?a=//b/`, WAITING, method);
  await call(`${doubled}.json/?x`, WAITING, method);
  await call(`${doubled}///`, WAITING, method);
  await call(`${path}/`, WAITING, method);
  expect(targets()).toEqual([`${path}.json?a=//b/`, `${path}.json?x`, path, path]);
});

test('what is known by another spelling is the call here too', async () => {
  for (const path of ['//1//profiles.json', '/1/profiles/', '/1/profiles.json/', '/1/profiles'])
    expect(await call(path, CONNECTED)).toMatchObject({ status: 200, json: expect.any(Array) });
  expectRefusal(await call(`//1/profiles/${'f'.repeat(24)}/`, CONNECTED), 404, 1010);
});

test('an update whose id stands at the end of its address goes to the old API in its documented spelling', async () => {
  for (const ending of ['.json?a=b', '', '.json/'])
    await call(`/1/updates/update/${ID}${ending}`, WAITING, 'POST');
  const path = `/1/updates/${ID}/update`;
  expect(targets()).toEqual([`${path}.json?a=b`, path, `${path}.json`]);
});

test.each(['//1/oauth2/token.json', '/1//oauth2/token', '/1/oauth2//token.json', '/1/oauth2/token.json/'])(
  '%s is the exchange',
  async (path) => {
    const connected = await connectApp(door, await door.addApp());
    const wrong = new URLSearchParams(exchangeFields(connected.app, 'a-wrong-code'));
    const post = (body: string) => sendRaw(door.bridgeUrl, { method: 'POST', path, ...rawForm(body) });
    expectTokenError(await post(wrong.toString()), 400, 'invalid_grant');
    const good = new URLSearchParams(exchangeFields(connected.app, await connected.mint()));
    expect(await post(good.toString())).toMatchObject({
      status: 200,
      json: { access_token: expect.any(String) },
    });
    expectMethodRefused(await sendRaw(door.bridgeUrl, { path }), 'POST');
    expect(targets()).toEqual([]);
  },
);

test('an unknown path goes on as it came', async () => {
  for (const path of ['/1/nothing', '/1//nothing//here.json/', '/1/updates/', '/1/Profiles.json', '/1/'])
    await call(`${path}?x=//`, CONNECTED);
  expect(targets()).toEqual(
    ['/1/nothing', '/1//nothing//here.json/', '/1/updates/', '/1/Profiles.json', '/1/'].map(
      (path) => `${path}?x=//`,
    ),
  );
});

test.each(['//1/nothing', '///1//nothing.json', '//1', '//1/oauth2/authorize'])(
  '%s is unknown in the words of the old API, and goes nowhere',
  async (path) => {
    const answer = await call(`${path}?x=//`, CONNECTED);
    expectRefusal(answer, 404, 404);
    expect(answer.json).toEqual({ error: 'The endpoint you requested was not found.', code: 404 });
    expect(answer.headers['cache-control']).toBe('private, no-store');
    expect(targets()).toEqual([]);
  },
);

test('HEAD of a call that reads goes to the old API; of any other it is 405 or unknown', async () => {
  for (const token of [WAITING, CONNECTED]) {
    old.requests.length = 0;
    const head = await call('/1/user.json', token, 'HEAD');
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers['content-length']).toMatch(/^[1-9]\d+$/);
    expect(old.requests).toMatchObject([{ method: 'HEAD', target: '/1/user.json' }]);
    expectMethodRefused(await call('/1/updates/create.json', token, 'HEAD'), 'POST');
    expectMethodRefused(await call('/1/user/deauthorize.json', token, 'HEAD'), 'GET, POST');
    expect((await call('/1/nothing.json', token, 'HEAD')).status).toBe(404);
    expect(old.requests).toHaveLength(1);
  }
  await old.setBehaviour('down');
  expect((await call('/1/user.json', WAITING, 'HEAD')).status).toBe(503);
});

/** Numbers in [0, 1) that are the same in every run. */
function chanceFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const WORDS = `1 user profiles updates create pending ${ID} nothing links shares info here
  deauthorize Deauthorize de%61uthorize authorize oauth2 OAuth2 oauth2;x %6fauth2 token
  . .. %2e%2e ..; .git a%2fb a\\b a;b %00 %`.split(/\s+/);

function randomPath(chance: () => number): string {
  const one = <T>(from: readonly T[]): T => from[Math.floor(chance() * from.length)]!;
  const slash = () => one(['/', '/', '/', '//', '///']);
  const words = Array.from({ length: 1 + Math.floor(chance() * 3) }, () => slash() + one(WORDS));
  const start = one(['/1', '/1', '/1', '//1', '/1/', '/user', '']);
  return start + words.join('') + one(['', '.json', '.json', '.xml', '/', '.json/', '//', '#x', '?x=//']);
}

/** A path as the most generous server reads it: decoded, without parameters, dots resolved, in one case. */
function readGenerously(target: string): string {
  const path = decodeURIComponent((target.split(/[?#]/)[0] ?? '').replaceAll(/%(?![0-9a-f]{2})/gi, '%25'));
  const plain = path
    .replaceAll('\\', '/')
    .replaceAll(/;[^/]*/g, '')
    .replaceAll(/\/+/g, '/');
  return new URL(plain, 'http://old').pathname.toLowerCase();
}

const ENDS = [
  '/1/user/deauthorize.json',
  '/1/user/deauthorize',
  '/user/deauthorize',
  '/user/deauthorize.json',
];

test('of a thousand random paths none reaches what ends a token or OAuth, or leads out of v1', async () => {
  const chance = chanceFrom(18);
  let passed = 0;
  for (let seed = 0; seed < 1000; seed += 1) {
    const path = randomPath(chance);
    if (ENDS.includes(path.split('?')[0]!)) continue;
    old.requests.length = 0;
    const { status } = await call(path, WAITING);
    expect({ path, isFault: status >= 500 }).toEqual({ path, isFault: false });
    for (const target of targets()) {
      const read = readGenerously(target);
      const isSafe = /^\/1(\/|$)/.test(read) && !/^\/1\/oauth2|deauthorize/.test(read);
      expect({ path, target, isSafe }).toEqual({ path, target, isSafe: true });
      const [sent, came] = [read, readGenerously(path)].map((one) => one.replace(/\/$/, ''));
      expect(sent).toBe(came);
      passed += 1;
    }
  }
  expect(passed).toBeGreaterThan(100);
});
