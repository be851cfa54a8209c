import { gunzipSync, gzipSync } from 'node:zlib';
import { type OldBackend, startOldBackend } from '../support/servers/old-backend.ts';
import { json, multipart, type RawRequest, sendRaw } from '../support/callers/raw-request.ts';
import { addWaitingToken } from '../support/bridge/waiting-token.ts';
import { refusingCalls } from './pass-through/refused-calls.ts';
import { exchangeBytes, lastSeen, request, type Stage, TOKEN } from './pass-through/stage.ts';
import { type Door, openDoor } from './support/door.ts';
import {
  expectChallenge,
  expectInvalidToken,
  expectMethodRefused,
  expectPage400,
  expectRefusal,
} from './support/expectations.ts';

/** Calls for the old backend, and its answers, byte for byte (docs/decisions/0014). */

const USER = { id: '4f0c0a06512f7ef214000000', name: 'Jo/el', plan: 'free' };
const SANDBOX = "default-src 'none'; sandbox; frame-ancestors 'none'";
const PROFILE = { id: '4eb854340acb04e870000010', service: 'twitter' };

let old: OldBackend;
let door: Door;
/** Set as soon as they run. */
const stage = {} as Stage;

beforeAll(async () => {
  old = await startOldBackend({ accounts: [{ tokens: [TOKEN], user: USER, profiles: [PROFILE] }] });
  door = await openDoor({ env: { LEGACY_BACKEND_URL: old.url } });
  Object.assign(stage, { door, old });
  await addWaitingToken(door.bridge, { clientId: door.app.clientId, token: TOKEN });
});

beforeEach(async () => {
  old.requests.length = 0;
  await old.setBehaviour('normal');
});

afterAll(async () => {
  await door.stop();
  await old.close();
});

const host = () => new URL(old.url).host;

const call = (wanted: RawRequest) =>
  sendRaw(door.bridgeUrl, { ...wanted, headers: { authorization: `Bearer ${TOKEN}`, ...wanted.headers } });

test('a call arrives as it came: query, header order and case, multipart body', async () => {
  const { body, headers } = multipart({
    access_token: TOKEN,
    text: 'a\r\nb \u00e9',
    'profile_ids[]': PROFILE.id,
  });
  const content = Buffer.concat([Buffer.from(body!), Buffer.from([0, 255, 13, 10])]);
  const target = `/1/updates/create.json?access_token=${TOKEN}&x=%2f+~&&profile_ids[]=a&`;
  const type = headers!['content-type']!;
  const text = await exchangeBytes(
    stage,
    request(
      [
        `POST ${target} HTTP/1.1`,
        'x-odd-CASE: one',
        'hOST: bridge.example',
        'User-Agent: old/1.0 (\u00e9)',
        `cOntent-type: ${type}`,
        `CONTENT-length: ${content.length}`,
        'X-Odd-Case: two',
        'Connection: close',
      ],
      content,
    ),
  );
  expect(text.toString()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  const seen = lastSeen(stage);
  expect([seen.method, seen.target]).toEqual(['POST', target]);
  expect(seen.body.equals(content)).toBe(true);
  expect(seen.rawHeaders.slice(0, 12)).toEqual(
    [
      ['x-odd-CASE', 'one', 'hOST', host(), 'User-Agent', 'old/1.0 (\u00e9)'],
      ['cOntent-type', type, 'CONTENT-length', String(content.length), 'X-Odd-Case', 'two'],
    ].flat(),
  );
  // What remains is about the new connection.
  expect(seen.rawHeaders.slice(12).filter((_, index) => index % 2 === 0)).toEqual(['Connection']);
});

/** What servers read as the origin, the path or the method of a call; an underscore is a dash to some. */
const FORGED = [
  ['X-Client-IP', 'Client-IP', 'X-Cluster-Client-IP', 'True-Client-IP', 'CF-Connecting-IP', 'X-Remote-Addr'],
  ['X-Original-URL', 'X-Rewrite-URL', 'X-Original-Host', 'X-Host'],
  ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'],
  ['X_Forwarded_For', 'x_client-ip', 'Content_Length'],
].flat();

test('headers of the connection, of other hops and of the bridge itself stay behind', async () => {
  const text = await exchangeBytes(
    stage,
    request(
      [
        `POST /1/updates/create.json HTTP/1.1`,
        'Host: bridge.example',
        `Authorization: OAuth ${TOKEN}`,
        'Connection: close, X-Private',
        'X-Private: 1',
        'Keep-Alive: timeout=5',
        'TE: trailers',
        'Trailer: X-Last',
        'Proxy-Authorization: Basic eHg6eXk=',
        'Proxy-Connection: keep-alive',
        'Upgrade: h2c',
        'X-Forwarded-For: 6.6.6.6',
        'X-Forwarded-Host: evil.example',
        'Forwarded: for=6.6.6.6',
        'X-Real-IP: 6.6.6.6',
        ...FORGED.map((name) => `${name}: 6.6.6.6`),
        'Cookie: a=1; gb_session=secret; __Host-gb_browser_0123=secret; b=2',
        'Transfer-Encoding: chunked',
      ],
      '4\r\ntext\r\n3\r\n=hi\r\n0\r\n\r\n',
    ),
  );
  expect(text.toString()).toMatch(/^HTTP\/1\.1 200 /);
  const { rawHeaders, body } = lastSeen(stage);
  expect(body.toString()).toBe('text=hi');
  const kept = [
    'Host',
    host(),
    'Authorization',
    `OAuth ${TOKEN}`,
    'Cookie',
    'a=1; b=2',
    'Content-Length',
    '7',
  ];
  expect(rawHeaders.slice(0, kept.length)).toEqual(kept);
  expect(rawHeaders.slice(kept.length)).toEqual(['Connection', expect.any(String)]);
});

test('a packed body is sent on unpacked; a packed answer goes back packed', async () => {
  const packed = gzipSync(`access_token=${TOKEN}&text=hi`);
  const answer = gzipSync('[]');
  await old.setBehaviour({ status: 200, headers: ['Content-Encoding', 'gzip'], body: answer });
  const received = await exchangeBytes(
    stage,
    request(
      [
        'POST /1/updates/create.json HTTP/1.1',
        'Host: b',
        'Content-Type: application/x-www-form-urlencoded',
        'Content-Encoding: gzip',
        `Content-Length: ${packed.length}`,
        'Accept-Encoding: gzip',
        'Connection: close',
      ],
      packed,
    ),
  );
  const seen = lastSeen(stage);
  expect(seen.body.toString()).toBe(`access_token=${TOKEN}&text=hi`);
  expect(seen.headers['content-encoding']).toBeUndefined();
  expect(seen.headers['accept-encoding']).toBe('gzip');
  const start = received.indexOf('\r\n\r\n') + 4;
  expect(received.subarray(0, start).toString()).toMatch(/\r\nContent-Encoding: gzip\r\n/);
  expect(gunzipSync(received.subarray(start)).toString()).toBe('[]');
});

test('an answer comes back as it was, with the headers that the bridge adds to every answer', async () => {
  await old.setBehaviour({
    status: 418,
    headers: [
      ['X-Odd-CASE', '1', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'Content-Type', 'text/odd'],
      ['cache-control', 'public', 'Connection', 'X-Hop', 'X-Hop', '1', 'Transfer-Encoding', 'chunked'],
      ['Keep-Alive', 'timeout=9', 'Date', 'Thu, 01 Jan 2015 00:00:00 GMT'],
    ].flat(),
    body: 'a\\/b',
  });
  const text = (
    await exchangeBytes(
      stage,
      request([`GET /1/user.json?access_token=${TOKEN} HTTP/1.1`, 'Host: b', 'Connection: close']),
    )
  ).toString();
  const [head = '', body] = text.split('\r\n\r\n');
  const lines = head.split('\r\n');
  expect(lines[0]).toBe("HTTP/1.1 418 I'm a Teapot");
  expect(body).toBe('a\\/b');
  for (const line of [
    'X-Odd-CASE: 1',
    'Set-Cookie: a=1',
    'Set-Cookie: b=2',
    'Content-Type: text/odd',
    'Cache-Control: private, no-store',
    'Date: Thu, 01 Jan 2015 00:00:00 GMT',
    'Content-Length: 4',
  ])
    expect(lines).toContain(line);
  expect(head).not.toMatch(/\n(?:x-hop|transfer-encoding|keep-alive):|public|timeout=9/i);
});

test('no answer of the old backend acts for the origin of the owners', async () => {
  const html = '<script>fetch("/apps")</script>';
  await old.setBehaviour({
    status: 200,
    headers: [
      ['Content-Type', 'text/html', 'Content-Security-Policy', 'default-src *', 'Clear-Site-Data', '"*"'],
      ['Service-Worker-Allowed', '/', 'Strict-Transport-Security', 'max-age=0', 'NEL', '{}'],
      [
        'Set-Cookie',
        'gb_session=evil; Path=/',
        'set-cookie',
        ' __Host-gb_browser_1=evil',
        'Set-Cookie',
        'ok=1',
      ],
      ['Set-Cookie', '=gb_session=evil', 'Set-Cookie', 'GB_x=evil', 'Set-Cookie', 'not_gb_=1'],
    ].flat(),
    body: html,
  });
  const answer = await sendRaw(door.bridgeUrl, { path: `/1/anything?access_token=${TOKEN}&x=<script>` });
  expect([answer.status, answer.text]).toEqual([200, html]);
  expect(answer.headers['content-security-policy']).toBe(SANDBOX);
  expect(answer.headers['set-cookie']).toEqual(['ok=1', 'not_gb_=1']);
  for (const name of ['clear-site-data', 'service-worker-allowed', 'strict-transport-security', 'nel'])
    expect(answer.headers[name]).toBeUndefined();
});

test('a page of the authorize address has the policy of pages, everything else old the sandbox', async () => {
  const page = await sendRaw(door.bridgeUrl, { path: '/oauth2/authorize?client_id=nobody' });
  expectPage400(page);
  expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'self'/);
  expect(page.headers['content-security-policy']).not.toContain('sandbox');
  for (const path of ['/1/user.json', '/1/nothing.json', '/1/profiles.xml', '/user/deauthorize'])
    expect((await sendRaw(door.bridgeUrl, { path })).headers['content-security-policy']).toBe(SANDBOX);
});

test.each([301, 302, 307])('a redirect %s comes back and is not followed', async (status) => {
  await old.setBehaviour({ status, headers: ['Location', 'http://169.254.169.254/latest'] });
  const answer = await call({ method: 'POST', path: '/1/updates/create.json', ...json({ text: 'hi' }) });
  expect([answer.status, answer.headers.location]).toEqual([status, 'http://169.254.169.254/latest']);
  lastSeen(stage);
});

test.each(['big', 'cut', 'down'] as const)(
  'a backend that is %s gives 503 and is asked again',
  async (behaviour) => {
    await old.setBehaviour(behaviour);
    const answer = await call({ path: '/1/user.json' });
    expectRefusal(answer, 503, 1000);
    expect(answer.headers['retry-after']).toMatch(/^\d+$/);
    await old.setBehaviour('normal');
    expect(await call({ path: '/1/user.json' })).toMatchObject({
      status: 200,
      text: expect.stringContaining('"name":"Jo\\/el"'),
      json: { id: USER.id, _id: USER.id },
    });
  },
);

test.each<[string, RawRequest]>([
  ['another method', { method: 'PUT', path: '/1/profiles.json', body: 'x=1' }],
  ['another suffix', { path: '/1/profiles.xml' }],
  ['another suffix of a profile', { path: `/1/profiles/${PROFILE.id}.xml` }],
  ['a path that is not served', { path: `/1/profiles/${PROFILE.id}/updates/pending.json?count=3` }],
  ['a path that nobody knows', { path: '/1/nothing/here' }],
  ['a served path', { path: `/1/profiles/${PROFILE.id}.json` }],
])('%s passes', async (_case, wanted) => {
  const answer = await call(wanted);
  expect(lastSeen(stage)).toMatchObject({ method: wanted.method ?? 'GET', target: wanted.path });
  expect(answer.headers['cache-control']).toBe('private, no-store');
});

test('an address that is sent whole reaches no other host', async () => {
  const line = `GET http://evil.example/1/user.json?access_token=${TOKEN} HTTP/1.1`;
  const text = await exchangeBytes(stage, request([line, 'Host: evil.example', 'Connection: close']));
  expect(text.toString()).toMatch(/^HTTP\/1\.1 200 /);
  expect(lastSeen(stage)).toMatchObject({
    target: `/1/user.json?access_token=${TOKEN}`,
    headers: { host: host() },
  });
});

test('what the bridge itself made, and an end without a token, is answered here', async () => {
  expectChallenge(await sendRaw(door.bridgeUrl, { path: '/1/user/deauthorize.json' }));
  expectMethodRefused(await call({ method: 'HEAD', path: '/1/updates/create.json' }), 'POST');
  expectMethodRefused(await call({ method: 'HEAD', path: '/1/user/deauthorize.json' }), 'GET, POST');
  const { ownerToken, clientId } = await door.addApp();
  const headers = { authorization: `Bearer ${ownerToken}` };
  for (const path of ['/1/user.json', '/1/updates/create.json']) {
    const refused = await call({ method: 'POST', path, headers });
    expectInvalidToken(refused);
    expect(refused.json).toMatchObject({ reauthorize: { link: `${door.bridgeUrl}/apps/${clientId}` } });
  }
  expectRefusal(await call({ path: '/1/nothing.json', headers }), 404, 404);
  expect(old.requests).toHaveLength(0);
});

refusingCalls(stage);
