import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MINUTE, SECOND } from '../../src/shared/lifetimes.ts';
import { newLegacyToken } from '../../src/shared/ids.ts';
import { CookieWalker } from '../support/callers/cookie-walker.ts';
import { freePort } from '../support/servers/free-port.ts';
import { exchangeFields, freshCode, issueToken } from '../support/callers/legacy-calls.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../support/servers/old-backend.ts';
import { json, type RawAnswer, rawForm, type RawRequest, sendRaw } from '../support/callers/raw-request.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { type StartedBridge, startTestBridge } from '../support/bridge/started-bridge.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { addWaitingToken } from '../support/bridge/waiting-token.ts';
import { plan } from './support/lifecycle-rows.ts';
import { type Told, told } from './support/told-dates.ts';

/**
 * The dates on every old answer (docs/decisions/0012): Deprecation, Sunset and Link, read by a parser of somebody else.
 */

const HOUR = 60 * MINUTE;
const START = Date.parse('2027-01-10T12:00:00.750Z');
const DATES = { deprecation: START - HOUR, sunset: START + 24 * HOUR };
const clock = new SettableClock(START);
const account: OldAccount = { tokens: [], user: { id: '4f0c0a06512f7ef214000000' }, profiles: [] };
let old: OldBackend;
let system: System;
let token: string;
let waiting: string;
const browser = new CookieWalker();

beforeAll(async () => {
  old = await startOldBackend({ accounts: [account] });
  system = await startSystem({ clock, env: { LEGACY_BACKEND_URL: old.url, LEGACY_RATE_LIMIT: '30' } });
  token = await issueToken(system, { browser });
  const { clientId } = await system.registerApp('https://waits.example/callback');
  ({ token: waiting } = await addWaitingToken(system.bridge, { clientId }));
  account.tokens.push(waiting);
});

afterEach(async () => {
  clock.set(START);
  await old.setBehaviour('normal');
});

afterAll(async () => {
  await system.stop();
  await old.close();
});

const send = (wanted: RawRequest) => sendRaw(system.bridgeUrl, wanted);

const bearer = (value: string) => ({ authorization: `Bearer ${value}` });

const sunsetOf = async (wanted: RawRequest) => told(await send(wanted)).sunset;

const seconds = (time: number) => Math.floor(time / 1000);

const links = (...names: string[]) => ({
  ...Object.fromEntries(
    names.map((name) => [name, { href: `${system.bridgeUrl}/lifecycle`, type: 'text/html' }]),
  ),
  'service-meta': { href: `${system.bridgeUrl}/lifecycle.json`, type: 'application/json' },
});

const authorizePath = (changed: Record<string, string> = {}) => {
  const { clientId, callback } = system.app;
  const query = { client_id: clientId, redirect_uri: callback, response_type: 'code', ...changed };
  return `/oauth2/authorize?${new URLSearchParams(query).toString()}`;
};

const tokenForm = (changed: Record<string, string>) =>
  rawForm(new URLSearchParams({ ...exchangeFields(system.app, 'x'), ...changed }).toString());

const TOKEN = { method: 'POST', path: '/1/oauth2/token.json' };
const EXCHANGE = { method: 'POST', path: '/oauth2/exchange' };
const BASIC = { authorization: `Basic ${Buffer.from('app:wrong').toString('base64')}` };
const exchangeForm = rawForm(
  'grant_type=urn:ietf:params:oauth:grant-type:token-exchange&subject_token=1&client_id=x&client_secret=y',
);

/** Every kind of answer of the old addresses, by its status. */
const ANSWERS: Array<[string, number, () => RawRequest]> = [
  ['profiles', 200, () => ({ path: '/1/profiles.json', headers: bearer(token) })],
  ['the user', 200, () => ({ path: `/1/user.json?access_token=${token}` })],
  ['an unknown profile', 404, () => ({ path: '/1/profiles/ffffff.json', headers: bearer(token) })],
  ['a passed call', 200, () => ({ path: '/1/user.json', headers: bearer(waiting) })],
  ['a passed refusal', 401, () => ({ path: '/1/user.json', headers: bearer(newLegacyToken()) })],
  ['a passed call without a token', 401, () => ({ path: '/1/user.json' })],
  ['an end without a token', 401, () => ({ path: '/1/user/deauthorize.json' })],
  ['two tokens', 400, () => ({ path: `/1/user.json?access_token=a`, headers: bearer(token) })],
  ['a broken body', 400, () => ({ path: '/1/user.json', method: 'POST', ...json(1) })],
  ['a long body', 413, () => ({ path: '/1/user.json', method: 'POST', body: Buffer.alloc(300_000) })],
  ['another method', 405, () => ({ path: '/1/user.json', method: 'PUT', headers: bearer(token) })],
  ['HEAD', 405, () => ({ path: '/1/user.json', method: 'HEAD', headers: bearer(token) })],
  ['another format', 406, () => ({ path: '/1/user.xml', headers: bearer(token) })],
  ['an unknown path', 404, () => ({ path: '/1/nothing.json' })],
  ['the root of v1', 404, () => ({ path: '/1' })],
  ['a token request without an app', 400, () => ({ ...TOKEN, ...rawForm('') })],
  [
    'a token request of a wrong app',
    401,
    () => ({ ...TOKEN, ...rawForm('grant_type=authorization_code&code=1', BASIC) }),
  ],
  ['a wrong code', 400, () => ({ ...TOKEN, ...tokenForm({}) })],
  ['GET at the token address', 405, () => ({ ...TOKEN, method: 'GET' })],
  ['a long token request', 413, () => ({ ...TOKEN, body: Buffer.alloc(300_000) })],
  ['authorize', 302, () => ({ path: authorizePath() })],
  ['authorize, refused to the app', 302, () => ({ path: authorizePath({ response_type: 'token' }) })],
  ['authorize, refused on a page', 400, () => ({ path: authorizePath({ client_id: 'unknown' }) })],
  ['authorize by another method', 405, () => ({ path: authorizePath(), method: 'DELETE' })],
  ['a hand-over that is none', 400, () => ({ ...EXCHANGE, ...rawForm('') })],
  ['a hand-over of an unknown client', 400, () => ({ ...EXCHANGE, ...exchangeForm })],
  ['GET at the hand-over', 405, () => ({ ...EXCHANGE, method: 'GET' })],
  ['no old address, but beside them', 404, () => ({ path: '/oauth2/nothing' })],
  ['deauthorize without a token', 401, () => ({ path: '/user/deauthorize' })],
];

async function expectDates(answer: RawAnswer, expected: Partial<Told> = {}): Promise<void> {
  expect(told(answer)).toEqual({
    deprecation: seconds(DATES.deprecation),
    sunset: seconds(DATES.sunset),
    links: links('deprecation', 'sunset'),
    ...expected,
  });
}

describe('with a deprecation and a sunset', () => {
  beforeAll(() => plan(system.bridge, { dates: DATES }));

  test.each(ANSWERS)('%s (%i) tells them', async (_name, status, request) => {
    const answer = await send(request());
    expect(answer.status).toBe(status);
    await expectDates(answer);
  });

  test('a given token, too many calls with it, and its end tell them', async () => {
    const app = await system.registerApp('https://second.example/callback');
    const code = await freshCode(system, { app, browser });
    const given = await send({
      ...TOKEN,
      ...rawForm(new URLSearchParams(exchangeFields(app, code)).toString()),
    });
    expect(given.status).toBe(200);
    const { access_token: own } = given.json as { access_token: string };
    const call = () => send({ path: '/1/user.json', headers: bearer(own) });
    const ended = await send({ path: '/1/user/deauthorize.json', headers: bearer(own) });
    const refused = await call();
    const answers = [given, ended, refused];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 401]);
    for (const answer of answers) await expectDates(answer);
    await system.bridge.untilShared();
    const path = '/1/user.json';
    const many = await Promise.all(
      Array.from({ length: 31 }, () => send({ path, headers: bearer(waiting) })),
    );
    await system.bridge.untilShared();
    const late = await send({ path, headers: bearer(waiting) });
    expect(late.status).toBe(429);
    for (const answer of [...many, late]) await expectDates(answer);
    clock.advance(61 * SECOND);
  });

  test('an answer that cannot be given, and one of the old backend with dates of its own, tell ours', async () => {
    clock.advance(122 * SECOND);
    const theirs = [
      'Deprecation',
      '@1',
      'Sunset',
      'Mon, 01 Jan 2024 00:00:00 GMT',
      'Link',
      '<https://old.example>; rel="sunset"',
    ];
    await old.setBehaviour({ status: 200, headers: theirs, body: '{}' });
    const passed = await send({ path: '/1/user.json', headers: bearer(waiting) });
    await old.setBehaviour('down');
    const unavailable = await send({ path: '/1/user.json', headers: bearer(waiting) });
    expect([passed.status, unavailable.status]).toEqual([200, 503]);
    for (const answer of [passed, unavailable]) await expectDates(answer);
  });

  test('a page that is no old address tells none', async () => {
    expect(told(await send({ path: '/' }))).toEqual({ deprecation: undefined, sunset: undefined, links: {} });
  });

  test('once it is known which app calls, the date of its extension is told', async () => {
    const until = DATES.sunset + 240 * HOUR;
    const { clientId } = system.app;
    await plan(system.bridge, { dates: DATES, extensions: [{ clientId, name: 'sunset', until }] });
    const code = await freshCode(system, { browser });
    const own = [
      await sunsetOf({ path: '/1/user.json', headers: bearer(token) }),
      await sunsetOf({ path: '/1/user/unknown.json', headers: bearer(token) }),
      await sunsetOf({ path: '/1/profiles/ffffff.json', headers: bearer(token) }),
      await sunsetOf({ path: authorizePath() }),
      await sunsetOf({ ...TOKEN, ...tokenForm({ code }) }),
    ];
    expect(own).toEqual(own.map(() => seconds(until)));
    const others = [
      await sunsetOf({ path: '/1/user.json', headers: bearer(waiting) }),
      await sunsetOf({ path: '/1/user.json' }),
      await sunsetOf({ path: '/1/user.json', headers: bearer(newLegacyToken()) }),
    ];
    expect(others).toEqual(others.map(() => seconds(DATES.sunset)));
  });
});

test('a sunset before the deprecation is told as the deprecation', async () => {
  await plan(system.bridge, { dates: { deprecation: START + 2 * HOUR, sunset: START + HOUR } });
  const { deprecation, sunset } = told(await send({ path: '/1/user.json' }));
  expect([deprecation, sunset]).toEqual([seconds(START + 2 * HOUR), seconds(START + 2 * HOUR)]);
});

test.each([
  ['deprecation', { deprecation: DATES.deprecation, sunset: undefined }],
  ['sunset', { deprecation: undefined, sunset: DATES.sunset }],
] as const)('a %s alone is told alone', async (name, at) => {
  await plan(system.bridge, { dates: { [name]: DATES[name] } });
  const theirs = ['Deprecation', '@1', 'Sunset', 'Mon, 01 Jan 2024 00:00:00 GMT'];
  await old.setBehaviour({ status: 200, headers: theirs, body: '{}' });
  clock.advance(180 * SECOND);
  for (const headers of [{}, bearer(waiting)])
    expect(told(await send({ path: '/1/user.json', headers }))).toEqual({
      deprecation: at.deprecation && seconds(at.deprecation),
      sunset: at.sunset && seconds(at.sunset),
      links: links(name),
    });
});

test('without dates nothing is told, and what the old backend tells goes back as it was', async () => {
  await plan(system.bridge, { dates: { retirement: START + HOUR } });
  expect(told(await send({ path: '/1/user.json' }))).toMatchObject({ links: {}, sunset: undefined });
  await old.setBehaviour({
    status: 200,
    headers: ['Deprecation', '@1', 'Link', '<x:y>; rel="next"'],
    body: '{}',
  });
  clock.advance(240 * SECOND);
  const { headers } = await send({ path: '/1/user.json', headers: bearer(waiting) });
  const own = `<${system.bridgeUrl}/migrate/calls#user>; rel="successor-version"; type="text/html"`;
  expect(headers).toMatchObject({ deprecation: '@1', link: `${own}, <x:y>; rel="next"` });
});

async function requestId() {
  clock.advance(240 * SECOND);
  return (await send({ path: '/1/user.json', headers: bearer(waiting) })).headers['x-request-id'];
}

test('the id that the old API gave its answer stays on it; else the answer has that of the bridge', async () => {
  await old.setBehaviour({ status: 200, headers: ['X-Request-ID', 'theirs'], body: '{}' });
  expect(await requestId()).toBe('theirs');
  await old.setBehaviour({ status: 200, headers: [], body: '{}' });
  expect(await requestId()).toMatch(/^[0-9a-f]{24}$/);
});

describe('with dates of the settings, behind a proxy that came by plain HTTP', () => {
  const varDir = mkdtempSync(join(tmpdir(), 'wire-headers-'));
  let bridge: StartedBridge;

  beforeAll(async () => {
    const port = await freePort();
    const settings = {
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      VAR_DIR: varDir,
      MODERN_AUTH_URL: 'http://127.0.0.1:9',
      MODERN_API_URL: 'http://127.0.0.1:9',
      MODERN_CLIENT_ID: 'bridge',
      TRUST_PROXY: '127.0.0.1',
      LEGACY_DEPRECATED_AT: '2026-01-01',
      LEGACY_RETIREMENT_AT: '2027-02-01',
      BRIDGE_SUNSET_AT: '2027-08-01T09:30:00+02:00',
    };
    bridge = await startTestBridge({ settings, clock });
  });

  afterAll(async () => {
    await bridge.close();
    rmSync(varDir, { recursive: true });
  });

  test('the refusal of plain HTTP tells them', async () => {
    const answer = await sendRaw(bridge.url, { path: '/1/user.json' });
    expect(answer).toMatchObject({ status: 403, json: { code: 403 } });
    expect(told(answer)).toMatchObject({
      deprecation: Date.parse('2026-01-01') / 1000,
      sunset: Date.parse('2027-08-01T07:30:00Z') / 1000,
    });
  });
});
