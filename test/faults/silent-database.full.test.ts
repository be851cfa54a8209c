import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DatabaseLine, openDatabaseLine } from '../support/database/database-line.ts';
import { until } from '../support/servers/held-answer.ts';
import { issueToken, read } from '../support/callers/legacy-calls.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** A PostgreSQL that is gone without a word, as after a cut cable: nothing fails, nothing answers. */

const VAR_DIR = mkdtempSync(join(tmpdir(), 'silent-'));
const SPILL = join(VAR_DIR, 'spill');
let line: DatabaseLine;
let system: System;

beforeAll(async () => {
  line = await openDatabaseLine();
  const env = { DATABASE_URL: line.url, PROFILES_FRESH_SECONDS: '0', VAR_DIR };
  system = await startSystem({ env });
});
afterAll(async () => {
  line.delay = 0;
  await system.stop();
  await line.close();
  rmSync(VAR_DIR, { recursive: true, force: true });
});

const pairs = () => (existsSync(SPILL) ? readdirSync(SPILL).filter((name) => name.endsWith('.pair')) : []);

test('a pair that comes while the database keeps silent is spilled within seconds and stored when it is back', async () => {
  const token = await issueToken(system);
  const { durable } = system.bridge.context.store;
  await durable.updateTable('grants').set({ access_expires_at: 0, refresh_at: 0 }).execute();
  const before = system.proxy.refreshes().length;
  system.proxy.onTokenAnswer = (_call, answer) => {
    line.delay = Number.POSITIVE_INFINITY;
    return answer;
  };
  const silentSince = Date.now();
  const call = read(system, '/1/profiles.json', token);
  await until(() => pairs().length === 1);
  expect(Date.now() - silentSince).toBeLessThan(10_000);
  expect((await call).status).toBe(503);
  line.delay = 0;
  await until(() => pairs().length === 0, 30_000);
  const [grant] = await durable.selectFrom('grants').selectAll().execute();
  expect(grant).toMatchObject({ state: 'ready', version: 2 });
  expect(system.proxy.refreshes().length - before).toBe(1);
  expect((await read(system, '/1/profiles.json', token)).status).toBe(200);
});
