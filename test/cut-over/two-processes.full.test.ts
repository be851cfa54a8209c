import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { readConfig } from '../../src/config/config.ts';
import { isMovedEarly } from '../../src/domain/cut-over/moved-early.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { createLogger } from '../../src/shared/log/logger.ts';
import { openContext, type OpenContext } from '../../src/app/open-context.ts';
import { run, runJson } from '../processes/commands/operator-command.ts';
import { buildProgram, type Settings } from '../processes/running-program.ts';
import { freshDatabase, type TestDatabase } from '../support/database/database.ts';
import { freePort } from '../support/servers/free-port.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../support/servers/old-backend.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { registerLegacyApp } from '../support/bridge/register-app.ts';
import { type SpawnedBridge, spawnBridge } from '../support/bridge/spawned-bridge.ts';
import { addPairs, type ConnectedPair } from './support/pairs.ts';

/** A cut-over by the operator's command, which two machines on one PostgreSQL follow with their next calls. */

const HEADER = 'x-row';
const PATHS = ['/1/info/configuration.json', `/1/updates/${'a'.repeat(24)}/interactions.json`];
const account: OldAccount = { tokens: [], user: { id: newHexId() }, profiles: [] };
const folder = mkdtempSync(join(tmpdir(), 'cut-over-'));
let database: TestDatabase;
let old: OldBackend;
let opened: OpenContext;
let bridges: SpawnedBridge[];
let urls: string[];
let settings: Settings;
let clientId: string;
let pairs: ConnectedPair[];

async function startOne(name: string) {
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const own = { ...settings, PORT: port, PUBLIC_URL: url, VAR_DIR: join(folder, name) };
  const log = { level: 'error', stream: new PassThrough().resume() };
  return { url, bridge: await spawnBridge(own, { log, clock: undefined }) };
}

beforeAll(async () => {
  await buildProgram();
  database = await freshDatabase();
  old = await startOldBackend({ accounts: [account] });
  settings = {
    DATABASE_URL: database.url,
    KEYS_FILE: join(folder, 'keys.json'),
    VAR_DIR: join(folder, 'operator'),
    LEGACY_BACKEND_URL: old.url,
    LEGACY_RATE_LIMIT: '0',
    MODERN_AUTH_URL: 'http://127.0.0.1:9',
    MODERN_API_URL: 'http://127.0.0.1:9',
    MODERN_CLIENT_ID: 'bridge',
  };
  const config = readConfig(settings);
  const logger = createLogger({ level: 'error', stream: new PassThrough().resume(), name: 'test' });
  opened = await openContext(config, config.upstream!, { logger });
  ({ clientId } = await registerLegacyApp({ ...opened, url: '' }, 'https://app.example/callback'));
  pairs = await addPairs(opened.context, { clientId, count: 100 });
  account.tokens.push(...pairs.map(({ token }) => token));
  const started = [await startOne('here'), await startOne('there')];
  bridges = started.map(({ bridge }) => bridge);
  urls = started.map(({ url }) => url);
});

afterAll(async () => {
  await Promise.all(bridges.map((bridge) => bridge.close()));
  await opened.close();
  await old.close();
  await database.drop();
  rmSync(folder, { recursive: true });
});

async function isPassed(url: string, { token }: ConnectedPair, path: string): Promise<boolean> {
  const row = newHexId();
  const headers = { authorization: `Bearer ${token}`, [HEADER]: row };
  const { status } = await sendRaw(url, { path, headers });
  const passed = old.requests.some((request) => request.headers[HEADER] === row);
  if (!passed) expect(status).toBe(200);
  return passed;
}

/** The accounts that the new API answers; both machines and both calls agree. */
async function moved(): Promise<string[]> {
  const found: string[] = [];
  for (const pair of pairs) {
    const calls = urls.flatMap((url) => PATHS.map((path) => isPassed(url, pair, path)));
    const sides = new Set(await Promise.all(calls));
    expect(sides.size).toBe(1);
    if (sides.has(false)) found.push(pair.accountId);
  }
  return found;
}

const expected = (percent: number) =>
  pairs
    .map(({ accountId }) => accountId)
    .filter((accountId) => isMovedEarly({ clientId, accountId }, percent));

const cut = (percent: string, ...more: string[]) =>
  run(settings, 'apps', 'cut-over', clientId, '--percent', percent, '--reason', 'try it', ...more);

test('30 of 100 accounts move on both machines at once, stay there, and come back', async () => {
  expect(await cut('130')).toMatchObject({ code: 2, complaints: expect.stringContaining('--percent') });
  const refused = await cut('30');
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('add --yes') });
  expect(await moved()).toEqual([]);
  expect(await cut('30', '--yes', '--by', 'op')).toMatchObject({ code: 0, complaints: '' });
  const first = await moved();
  expect(first).toEqual(expected(30));
  expect(await moved()).toEqual(first);
  const listed = await runJson(settings, 'apps', 'list');
  expect(listed.json).toMatchObject({ apps: [{ client_id: clientId, cut_over_percent: 30 }] });
  expect(await cut('0', '--by', 'op')).toMatchObject({ code: 0, output: expect.stringContaining('back') });
  expect(await moved()).toEqual([]);
  const events = await opened.context.store.durable
    .selectFrom('events')
    .select(['actor', 'reason'])
    .where('action', '=', 'app_cut_over')
    .orderBy('id')
    .execute();
  expect(events).toEqual([
    { actor: 'command:op', reason: '30 % of the accounts, was 0 %; try it' },
    { actor: 'command:op', reason: '0 % of the accounts, was 30 %; try it' },
  ]);
  expect((await run(settings, 'history', 'verify')).code).toBe(0);
});
