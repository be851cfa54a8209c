import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { newHexId, newLegacyToken } from '../../../src/shared/ids.ts';
import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { issueToken } from '../../support/callers/legacy-calls.ts';
import { BRIDGE_CLIENT } from '../../support/servers/modern-side.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../../support/servers/old-backend.ts';
import { type RawAnswer, sendRaw } from '../../support/callers/raw-request.ts';
import { type StartedBridge, startTestBridge } from '../../support/bridge/started-bridge.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { actionsOf, mappingOf } from '../../support/bridge/waiting-token.ts';

/** A connected token stays with the old API until the old API refuses the token, and never comes back to it. */

const PROFILE = { id: '4eb854340acb04e870000010', service: 'twitter' };
const PENDING = `/1/profiles/${PROFILE.id}/updates/pending.json`;
const INVALID = '{"error":"The provided access token is invalid","code":401,"deprecation":{}}';
const JSON_TYPE = ['Content-Type', 'application/json'];

const accounts: OldAccount[] = [];
const browser = new CookieWalker();
const folder = mkdtempSync(join(tmpdir(), 'refused-there-'));
let old: OldBackend;
let system: System;

beforeAll(async () => {
  old = await startOldBackend({ accounts });
  const env = { VAR_DIR: folder, LEGACY_BACKEND_URL: old.url, LEGACY_RATE_LIMIT: '0' };
  system = await startSystem({ env });
});

beforeEach(async () => {
  old.requests.length = 0;
  await old.setBehaviour('normal');
});

afterAll(async () => {
  await system.stop();
  await old.close();
  rmSync(folder, { recursive: true, force: true });
});

const callAt = (url: string, token: string, path = PENDING): Promise<RawAnswer> =>
  sendRaw(url, { path, headers: { authorization: `Bearer ${token}` } });

const call = (token: string, path?: string) => callAt(system.bridgeUrl, token, path);

/** A token that an import brought and a grant serves; the old API knows the token. */
async function connectedToken() {
  const app = await system.registerApp('https://connected.example/callback');
  const token = await issueToken(system, { app, browser });
  const { durable } = system.bridge.context.store;
  const { id } = (await mappingOf(system.bridge, token))!;
  await durable.updateTable('mappings').set({ source: 'imported' }).where('id', '=', id).execute();
  accounts.push({ tokens: [token], user: { id: newHexId() }, profiles: [PROFILE] });
  return { token, id };
}

const refusedAt = async (token: string) => (await mappingOf(system.bridge, token))?.refused_there_at;

/** A bridge that starts later on the same database. */
async function nextBridge(): Promise<{ bridge: StartedBridge; url: string }> {
  const { database } = system.bridge;
  const port = String(await freePort());
  const bridge = await startTestBridge({
    settings: {
      PORT: port,
      PUBLIC_URL: system.bridgeUrl,
      VAR_DIR: folder,
      DATABASE_URL: database.kind === 'sqlite' ? `sqlite:${database.file}` : database.url,
      MODERN_AUTH_URL: system.proxy.origin,
      MODERN_API_URL: system.proxy.origin,
      MODERN_CLIENT_ID: BRIDGE_CLIENT,
      LEGACY_BACKEND_URL: old.url,
      LOG_LEVEL: 'error',
    },
  });
  return { bridge, url: `http://127.0.0.1:${port}` };
}

test('any other answer of the old API goes back as it is, and the token stays', async () => {
  const { token, id } = await connectedToken();
  expect((await call(token)).json).toEqual({ total: 0, updates: [] });
  for (const [status, body] of [
    [401, '{"error":"Log in at the other service first","code":401}'],
    [401, ''],
    [403, INVALID],
    [404, '{"error":"Update could not be found.","code":1020}'],
    [500, 'oops'],
  ] as const) {
    await old.setBehaviour({ status, headers: JSON_TYPE, body, path: PENDING });
    expect(await call(token)).toMatchObject({ status, text: body });
  }
  expect(await refusedAt(token)).toBeNull();
  await old.setBehaviour('normal');
  expect((await call(token)).status).toBe(200);
  expect(await actionsOf(system.bridge, id)).not.toContain('token_refused_there');
});

test('an old API that does not answer is 503, and the token stays', async () => {
  const { token } = await connectedToken();
  for (const behaviour of ['down', 'cut'] as const) {
    await old.setBehaviour(behaviour);
    expect(await call(token)).toMatchObject({ status: 503, json: { code: 1000 } });
  }
  await old.setBehaviour('normal');
  expect((await call(token)).status).toBe(200);
  expect(await refusedAt(token)).toBeNull();
});

test('after the recorded 401 the old API is asked no more, by a process that starts later neither', async () => {
  const { token, id } = await connectedToken();
  await old.setBehaviour({ status: 401, headers: JSON_TYPE, body: INVALID });
  const answers = await Promise.all([call(token), call(token), call(token)]);
  for (const { text } of answers) expect(text).not.toContain('token is invalid');
  expect(await refusedAt(token)).toEqual(expect.any(Number));
  const told = (await actionsOf(system.bridge, id)).filter((action) => action === 'token_refused_there');
  expect(told).toHaveLength(1);
  await old.setBehaviour('normal');
  old.requests.length = 0;
  const later = await nextBridge();
  try {
    for (const url of [system.bridgeUrl, later.url])
      for (const path of [PENDING, '/1/nothing.json', '/1/info/configuration.json'])
        expect((await callAt(url, token, path)).text).not.toContain('token is invalid');
  } finally {
    await later.bridge.close();
  }
  expect(old.requests).toEqual([]);
});

test('the call that learns it is answered by the new API, and asks the old one for the user alone', async () => {
  const { token } = await connectedToken();
  const path = `/1/profiles/${'f'.repeat(24)}/schedules.json`;
  await old.setBehaviour({ status: 401, headers: JSON_TYPE, body: INVALID });
  expect(await call(token, path)).toMatchObject({ status: 404, json: { code: 1010 } });
  expect(old.requests.map(({ target }) => target)).toEqual([path, '/1/user.json']);
});

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const)('the recorded 401 is read where it is packed by %s', async (encoding, pack) => {
  const { token } = await connectedToken();
  const headers = [...JSON_TYPE, 'Content-Encoding', encoding];
  await old.setBehaviour({ status: 401, headers, body: pack(INVALID) });
  await call(token);
  expect(await refusedAt(token)).toEqual(expect.any(Number));
});

test('a packed 401 that cannot be unpacked, or is too long, goes back as it is', async () => {
  const { token } = await connectedToken();
  const headers = [...JSON_TYPE, 'Content-Encoding', 'gzip'];
  const long = gzipSync(`${INVALID}${' '.repeat(32 * 1024)}`);
  for (const body of [Buffer.from(INVALID), long]) {
    await old.setBehaviour({ status: 401, headers, body });
    expect(await call(token)).toMatchObject({ status: 401, text: body.toString() });
  }
  expect(await refusedAt(token)).toBeNull();
});

test('a refusal that the user object does not confirm goes back as it is, and the token stays', async () => {
  const { token } = await connectedToken();
  await old.setBehaviour({ status: 401, headers: JSON_TYPE, body: INVALID, path: PENDING });
  expect(await call(token)).toMatchObject({ status: 401, text: INVALID });
  expect(await refusedAt(token)).toBeNull();
});

test('a HEAD that is refused is confirmed in the same way', async () => {
  const head = (token: string) =>
    sendRaw(system.bridgeUrl, {
      method: 'HEAD',
      path: PENDING,
      headers: { authorization: `Bearer ${token}` },
    });
  const { token } = await connectedToken();
  await old.setBehaviour({ status: 401, headers: JSON_TYPE, path: PENDING });
  expect((await head(token)).status).toBe(401);
  expect(await refusedAt(token)).toBeNull();
  await old.setBehaviour({ status: 401, headers: JSON_TYPE });
  expect((await head(token)).status).toBe(405);
  expect(await refusedAt(token)).toEqual(expect.any(Number));
});

test('what a token that waits is refused with goes back, and says nothing of it', async () => {
  const token = newLegacyToken();
  accounts.push({ tokens: [token], user: { id: newHexId() }, profiles: [PROFILE] });
  await old.setBehaviour({ status: 401, headers: JSON_TYPE, body: INVALID });
  expect(await call(token)).toMatchObject({ status: 401, text: INVALID });
});
