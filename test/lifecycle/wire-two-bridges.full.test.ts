import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { readConfig } from '../../src/config/config.ts';
import { MINUTE } from '../../src/shared/lifetimes.ts';
import { createLogger } from '../../src/shared/log/logger.ts';
import { openContext, type OpenContext } from '../../src/app/open-context.ts';
import { buildProgram } from '../processes/running-program.ts';
import { freshDatabase, type TestDatabase } from '../support/database/database.ts';
import { freePort } from '../support/servers/free-port.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../support/servers/old-backend.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { registerLegacyApp } from '../support/bridge/register-app.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { spawnBridge, type SpawnedBridge } from '../support/bridge/spawned-bridge.ts';
import { addWaitingToken } from '../support/bridge/waiting-token.ts';
import { plan } from './support/lifecycle-rows.ts';

/** Two machines on one PostgreSQL change their answers in the same millisecond (docs/decisions/0012). */

const clock = new SettableClock();
const account: OldAccount = { tokens: [], user: { id: '4f0c0a06512f7ef214000000' }, profiles: [] };
const folder = mkdtempSync(join(tmpdir(), 'two-bridges-'));
let database: TestDatabase;
let old: OldBackend;
let planner: OpenContext;
let bridges: SpawnedBridge[];
let urls: string[];
let token: string;

async function startOne(name: string, settings: Record<string, string>) {
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const own = { ...settings, PORT: port, PUBLIC_URL: url, VAR_DIR: join(folder, name) };
  const log = { level: 'error', stream: new PassThrough().resume() };
  return { url, bridge: await spawnBridge(own, { log, clock }) };
}

beforeAll(async () => {
  await buildProgram();
  database = await freshDatabase();
  old = await startOldBackend({ accounts: [account] });
  const settings = {
    DATABASE_URL: database.url,
    KEYS_FILE: join(folder, 'keys.json'),
    LEGACY_BACKEND_URL: old.url,
    LEGACY_RATE_LIMIT: '0',
    MODERN_AUTH_URL: 'http://127.0.0.1:9',
    MODERN_API_URL: 'http://127.0.0.1:9',
    MODERN_CLIENT_ID: 'bridge',
  };
  const config = readConfig({ ...settings, VAR_DIR: join(folder, 'planner') });
  const logger = createLogger({ level: 'error', stream: new PassThrough().resume(), name: 'test' });
  planner = await openContext(config, config.upstream!, { logger, clock });
  const app = await registerLegacyApp({ ...planner, url: '' }, 'https://app.example/callback');
  ({ token } = await addWaitingToken(planner, { clientId: app.clientId }));
  account.tokens.push(token);
  const started = [await startOne('here', settings), await startOne('there', settings)];
  bridges = started.map(({ bridge }) => bridge);
  urls = started.map(({ url }) => url);
});

afterAll(async () => {
  await Promise.all(bridges.map((bridge) => bridge.close()));
  await planner.close();
  await old.close();
  await database.drop();
  rmSync(folder, { recursive: true });
});

/** What both machines answer, to several calls each. */
async function answers(): Promise<number[]> {
  const path = `/1/user.json?access_token=${token}`;
  const calls = urls.flatMap((url) => Array.from({ length: 5 }, () => sendRaw(url, { path })));
  return [...new Set((await Promise.all(calls)).map(({ status }) => status))];
}

test('at the start and end of brownouts, at the retirement and at the sunset', async () => {
  const start = clock.now();
  const at = (minutes: number) => start + minutes * MINUTE;
  const wanted = {
    dates: { deprecation: start, retirement: at(50), sunset: at(60) },
    brownouts: [
      { rehearses: 'retirement' as const, startsAt: at(10), endsAt: at(20) },
      { rehearses: 'sunset' as const, startsAt: at(30), endsAt: at(40) },
    ],
  };
  await plan({ ...planner, url: '' }, wanted, urls);
  const changes = [
    [at(10), 200, 401],
    [at(20), 401, 200],
    [at(30), 200, 410],
    [at(40), 410, 200],
    [at(50), 200, 401],
    [at(60), 401, 410],
  ] as const;
  for (const [moment, before, after] of changes) {
    clock.set(moment - 1);
    expect(await answers()).toEqual([before]);
    clock.set(moment);
    expect(await answers()).toEqual([after]);
  }
});
