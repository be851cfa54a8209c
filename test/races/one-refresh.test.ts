import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Bridge, startBridge } from '../../src/app/bridge.ts';
import { readConfig } from '../../src/config/config.ts';
import { freePort } from '../support/servers/free-port.ts';
import { issueToken, read } from '../support/callers/legacy-calls.ts';
import { BRIDGE_CLIENT } from '../support/servers/modern-side.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** Many callers of one expired grant, in one bridge and in two on the same database (docs/threats.md E101). */

const VAR_DIR = mkdtempSync(join(tmpdir(), 'two-bridges-'));
const FREE_OF_LIMITS = { PROFILES_FRESH_SECONDS: '0', LEGACY_RATE_LIMIT: '0', VAR_DIR };

let system: System;
let second: Bridge;
let clock: SettableClock;

beforeAll(async () => {
  clock = new SettableClock();
  system = await startSystem({ clock, env: FREE_OF_LIMITS });
  const port = await freePort();
  const config = readConfig({
    ...FREE_OF_LIMITS,
    PORT: String(port),
    PUBLIC_URL: system.bridgeUrl,
    MODERN_AUTH_URL: system.proxy.origin,
    MODERN_API_URL: system.proxy.origin,
    MODERN_CLIENT_ID: BRIDGE_CLIENT,
    LOG_LEVEL: 'error',
  });
  second = await startBridge(config, { clock });
});

afterAll(async () => {
  await second.close();
  await system.stop();
  rmSync(VAR_DIR, { recursive: true, force: true });
});

const readAtSecond = (token: string) =>
  sendRaw(second.url, { path: '/1/profiles.json', headers: { authorization: `Bearer ${token}` } });

test('two hundred calls at the end of an access token, over two bridges, cause one refresh and are all answered', async () => {
  const token = await issueToken(system);
  await read(system, '/1/profiles.json', token);
  for (let round = 1; round <= 2; round += 1) {
    clock.advance(3_700_000);
    const before = system.proxy.refreshes().length;
    const calls = Array.from({ length: 200 }, (_, index) =>
      index % 2 ? read(system, '/1/profiles.json', token) : readAtSecond(token),
    );
    const statuses = new Set((await Promise.all(calls)).map(({ status }) => status));
    expect([...statuses]).toEqual([200]);
    expect(system.proxy.refreshes().length - before).toBe(1);
  }
  system.proxy.assertNoRefreshTokenTwice();
});

test('a version that one bridge is presenting is not presented by another, and the late answer is kept', async () => {
  const token = await issueToken(system);
  await read(system, '/1/profiles.json', token);
  clock.advance(3_700_000);
  const before = system.proxy.refreshes().length;
  system.proxy.onTokenAnswer = async (_call, answer) => {
    await delay(1500);
    return answer;
  };
  const slow = read(system, '/1/profiles.json', token);
  await delay(300);
  const other = readAtSecond(token);
  expect((await slow).status).toBe(200);
  expect((await other).status).toBe(200);
  expect(system.proxy.refreshes().length - before).toBe(1);
  system.proxy.assertNoRefreshTokenTwice();
});
