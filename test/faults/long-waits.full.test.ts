import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Sqlite } from '../../src/shared/sqlite.ts';
import { until } from '../support/servers/held-answer.ts';
import { issueToken, read } from '../support/callers/legacy-calls.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** What the refresh engine does for longer than a caller waits, which is ten seconds. */

const VAR_DIR = mkdtempSync(join(tmpdir(), 'long-waits-'));
const clock = new SettableClock();
let system: System;
let other: Sqlite.Database;

beforeAll(async () => {
  const env = { PROFILES_FRESH_SECONDS: '0', LEGACY_RATE_LIMIT: '0', VAR_DIR };
  system = await startSystem({ clock, env });
  other = new Sqlite(join(VAR_DIR, 'bridge.db'));
});

afterAll(async () => {
  other.close();
  await system.stop();
  rmSync(VAR_DIR, { recursive: true, force: true });
});

const profiles = (token: string) => read(system, '/1/profiles.json', token);

test('a pair that cannot be stored for twelve seconds is stored when the database is back', async () => {
  const token = await issueToken(system);
  await profiles(token);
  clock.advance(3_700_000);
  const before = system.proxy.refreshes().length;
  const sent = () => system.proxy.refreshes().length - before;
  const { durable } = system.bridge.context.store;
  const row = () => durable.selectFrom('grants').selectAll().executeTakeFirstOrThrow();
  other.pragma('legacy_alter_table = on');
  system.proxy.onTokenAnswer = (_call, answer) => {
    other.exec('alter table grants rename to hidden');
    return answer;
  };
  const call = profiles(token);
  await until(() => sent() === 1);
  await delay(12_000);
  other.exec('alter table hidden rename to grants');
  expect((await call).status).toBe(200);
  await until(async () => (await row()).state === 'ready');
  expect(await row()).toMatchObject({ state: 'ready', version: 2 });
  system.proxy.onTokenAnswer = undefined;
  expect((await profiles(token)).headers['age']).toBeUndefined();
  expect(sent()).toBe(1);
});

test('a caller gets the last known answer after ten seconds, however long the modern side takes', async () => {
  const token = await issueToken(system);
  await profiles(token);
  let release: (() => void) | undefined;
  system.proxy.onOtherCall = () => new Promise((resolve) => (release = resolve));
  const startedAt = Date.now();
  const answer = await profiles(token);
  system.proxy.onOtherCall = undefined;
  release?.();
  expect(answer.status).toBe(200);
  expect(answer.headers['age']).toBeDefined();
  expect(Date.now() - startedAt).toBeLessThan(20_000);
});
