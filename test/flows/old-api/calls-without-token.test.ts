import { newHexId, newLegacyToken } from '../../../src/shared/ids.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../../support/servers/old-backend.ts';
import { json, type RawRequest, rawForm, sendRaw } from '../../support/callers/raw-request.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { testMode } from '../../support/jest/test-mode.ts';

/** Calls without a token while the old API runs: anybody can send them, so that limits stand before the old API. */

const account: OldAccount = { tokens: [], user: { id: newHexId() }, profiles: [] };
const clock = new SettableClock();
let old: OldBackend;
let system: System;

beforeAll(async () => {
  old = await startOldBackend({ accounts: [account] });
  system = await startSystem({ clock, env: { LEGACY_BACKEND_URL: old.url, LEGACY_RATE_LIMIT: '0' } });
});

beforeEach(async () => {
  clock.advance(60_001);
  old.requests.length = 0;
  await old.setBehaviour('normal');
});

afterAll(async () => {
  await system.stop();
  await old.close();
});

const send = (wanted: RawRequest) => sendRaw(system.bridgeUrl, wanted);

const SHARES = '/1/links/shares.json?url=x&callback=a';

test('they go there as they came, and the answer comes back as it was', async () => {
  expect((await send({ path: SHARES })).text).toBe('{"shares":47348}');
  const create = { method: 'POST', path: '/1/updates/create.json', ...rawForm('text=hi&profile_ids[]=a') };
  expect((await send(create)).status).toBe(401);
  const broken = {
    method: 'POST',
    path: '/1/nothing.json',
    headers: { 'content-type': 'multipart/form-data' },
    body: '{',
  };
  expect((await send(broken)).status).toBe(404);
  expect(old.requests.map(({ target, body }) => [target, body.toString()])).toEqual([
    [SHARES, ''],
    ['/1/updates/create.json', 'text=hi&profile_ids[]=a'],
    ['/1/nothing.json', '{'],
  ]);
});

test('links/shares goes there with no callback but a path of identifiers', async () => {
  for (const query of ['callback=alert(1)', 'callback=%3Cscript%3E', 'callback=a&callback=b', 'callback=']) {
    const answer = await send({ path: `/1/links/shares.json?url=x&${query}` });
    expect([answer.status, answer.text]).toEqual([200, '{"shares":0}']);
  }
  expect(old.requests).toEqual([]);
  expect((await send({ path: '/1/links/shares.json?callback=jQuery1_2' })).text).toBe('{"shares":47348}');
  expect((await send({ path: '/1/links/shares.json?url=x' })).text).toBe('{"shares":47348}');
});

test.each<[string, RawRequest]>([
  ['in another format', { path: '/1/links/shares.xml?url=x&callback=alert(1)' }],
  ['by another method', { method: 'PUT', path: '/1/links/shares.json?url=x&callback=alert(1)' }],
  ['in a form', { method: 'POST', path: '/1/links/shares.json', ...rawForm('url=x&callback=alert(1)') }],
  ['in JSON', { method: 'POST', path: '/1/links/shares.json', ...json({ callback: 'alert(1)' }) }],
  ['in a body of no known kind', { method: 'POST', path: '/1/links/shares.json', body: 'callback=alert(1)' }],
  ['as a list', { path: '/1/links/shares.json?url=x&callback[]=alert(1)' }],
  ['behind a space', { path: '/1/links/shares.json?url=x&%20callback=alert(1)' }],
  ['behind a semicolon', { path: '/1/links/shares.json?url=x;callback=alert(1)' }],
])('a callback of links/shares %s does not go to the old API', async (_, wanted) => {
  const answer = await send(wanted);
  expect([answer.status, answer.text]).toEqual([200, '{"shares":0}']);
  expect(old.requests).toEqual([]);
});

test('a format of links/shares without a callback goes there as it came', async () => {
  await send({ path: '/1/links/shares.xml?url=x' });
  expect(old.requests.map(({ target }) => target)).toEqual(['/1/links/shares.xml?url=x']);
});

test('what may be a token that the bridge does not read goes nowhere', async () => {
  const hidden = newLegacyToken();
  account.tokens.push(hidden);
  const calls: RawRequest[] = [
    { path: `/1/user.json?access_token[]=${hidden}` },
    { path: `/1/user.json?x=1;access_token=${hidden}` },
    { method: 'POST', path: '/1/updates/create.json', ...json({ access_token: [hidden] }) },
    { method: 'POST', path: '/1/nothing.json', ...rawForm(`access.token=${hidden}`) },
    { method: 'POST', path: '/1/nothing.json', ...rawForm(`access_token[a]=${hidden}`) },
  ];
  for (const one of calls) expect((await send(one)).status).toBe(400);
  expect(old.requests).toEqual([]);
  // A header that is no bearer stays behind.
  for (const authorization of ['Basic YTpi', `Bearer\t${hidden}`, `MAC ${hidden}`, 'Bearer '])
    expect((await send({ path: '/1/user.json', headers: { authorization } })).status).toBe(401);
  expect(old.requests).toHaveLength(4);
  for (const { headers } of old.requests) expect(headers.authorization).toBeUndefined();
});

test('an old API that does not answer is 503, and is asked again', async () => {
  await old.setBehaviour('down');
  for (const path of [SHARES, '/1/user.json', '/1/nothing.json'])
    expect(await send({ path })).toMatchObject({ status: 503, json: { code: 1000 } });
  await old.setBehaviour('normal');
  expect((await send({ path: SHARES })).status).toBe(200);
});

test('an address may have sixty in a minute; then known calls get the challenge, others 429', async () => {
  const asked = await Promise.all(Array.from({ length: 70 }, () => send({ path: '/1/user.json' })));
  await system.bridge.untilShared();
  expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([401]));
  // Two processes that have not heard of each other yet pass as many each.
  if (testMode.workers === 1) expect(old.requests).toHaveLength(60);
  old.requests.length = 0;
  const known = await send({ path: '/1/profiles.json' });
  expect([known.status, known.text, known.headers['www-authenticate']]).toEqual([
    401,
    '',
    expect.stringMatching(/^OAuth realm='Service', error='invalid_request'/),
  ]);
  const unknown = await send({ path: '/1/nothing.json' });
  expect([unknown.status, unknown.json]).toEqual([429, { error: expect.any(String), code: 429 }]);
  expect(unknown.headers['retry-after']).toMatch(/^\d+$/);
  expect(old.requests).toEqual([]);
  const token = newLegacyToken();
  account.tokens.push(token);
  const headers = { authorization: `Bearer ${token}` };
  expect((await send({ path: '/1/user.json', headers })).status).toBe(200);
  expect((await send({ path: SHARES })).status).toBe(200);
  clock.advance(60_001);
  expect((await send({ path: '/1/nothing.json' })).status).toBe(404);
});

test('calls that are answered well count too, and links/shares has three hundred of its own', async () => {
  const open = await Promise.all(
    Array.from({ length: 61 }, () => send({ path: '/1/info/configuration.json' })),
  );
  await system.bridge.untilShared();
  if (testMode.workers === 1) expect(open.filter(({ status }) => status === 200)).toHaveLength(60);
  for (let round = 0; round < 5; round += 1) {
    const good = await Promise.all(Array.from({ length: 60 }, () => send({ path: SHARES })));
    expect(new Set(good.map(({ status }) => status))).toEqual(new Set([200]));
  }
  await system.bridge.untilShared();
  expect(await send({ path: SHARES })).toMatchObject({ status: 429, json: { code: 429 } });
  clock.advance(60_001);
  expect((await send({ path: SHARES })).status).toBe(200);
});
