import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Bridge, startBridge } from '../../src/app/bridge.ts';
import { readConfig } from '../../src/config/config.ts';
import { newLegacyCode } from '../../src/shared/ids.ts';
import { createLogger } from '../../src/shared/log/logger.ts';
import type { DatabaseKind } from '../store/support/stores.ts';
import { modeDatabases } from '../support/jest/test-mode.ts';
import { freshDatabase } from '../support/database/database.ts';
import { freePort } from '../support/servers/free-port.ts';
import { until } from '../support/servers/held-answer.ts';
import { exchangeFields, issueToken, read } from '../support/callers/legacy-calls.ts';
import { BRIDGE_CLIENT } from '../support/servers/modern-side.ts';
import { rawForm, sendRaw } from '../support/callers/raw-request.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** Limits and the modern client's budget hold over two bridges on one database, to within a second. */

/** The promise is a second; a busy machine may add to it. */
const SHARED_AFTER = 1500;

/** Each bridge writes at most once in this time. */
const TURN = 400;

let system: System;
let second: Bridge;
let settings: Record<string, string>;
let secondSaid = '';
let cleanUp: Array<() => unknown> = [];

async function databaseUrl(kind: DatabaseKind, folder: string): Promise<string> {
  if (kind === 'sqlite') return `sqlite:${join(folder, 'bridge.db')}`;
  const database = await freshDatabase();
  cleanUp.unshift(() => database.drop());
  return database.url;
}

async function startAnother(): Promise<Bridge> {
  const stream = new PassThrough().setEncoding('utf8').on('data', (text: string) => (secondSaid += text));
  const config = readConfig({
    ...settings,
    PORT: String(await freePort()),
    PUBLIC_URL: system.bridgeUrl,
    MODERN_AUTH_URL: system.proxy.origin,
    MODERN_API_URL: system.proxy.origin,
    MODERN_CLIENT_ID: BRIDGE_CLIENT,
  });
  const bridge = await startBridge(config, {
    logger: createLogger({ level: 'warn', name: 'another', stream }),
  });
  cleanUp.unshift(() => bridge.close());
  return bridge;
}

/** One for each test: a pause that one was told holds for its client. */
async function startBoth(kind: DatabaseKind, env: Record<string, string> = {}): Promise<void> {
  const VAR_DIR = mkdtempSync(join(tmpdir(), 'shared-limits-'));
  cleanUp = [() => rmSync(VAR_DIR, { recursive: true, force: true })];
  secondSaid = '';
  settings = { VAR_DIR, DATABASE_URL: await databaseUrl(kind, VAR_DIR), ...env };
  system = await startSystem({ env: settings });
  cleanUp.unshift(() => system.stop());
  second = await startAnother();
}

afterEach(async () => {
  for (const close of cleanUp.splice(0)) await close();
});

const at = (bridge: Bridge, token: string) =>
  sendRaw(bridge.url, { path: '/1/user.json', headers: { authorization: `Bearer ${token}` } });

const atSecond = (token: string) => at(second, token);

const atFirst = (token: string) => read(system, '/1/user.json', token);

/** How many of so many calls at once were served; all others were refused for the limit. */
async function served(call: () => Promise<{ status: number }>, calls: number): Promise<number> {
  const statuses = await Promise.all(Array.from({ length: calls }, async () => (await call()).status));
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
  return statuses.filter((status) => status === 200).length;
}

const volatile = () => system.bridge.context.store.volatile;

const run = (statement: string) => sql.raw(statement).execute(volatile());

async function countedPoints(): Promise<number[]> {
  const rows = await volatile().selectFrom('counts').select('points').execute();
  return rows.map(({ points }) => points);
}

/** Lets the database itself note each change of a row. */
async function noteWrites(kind: DatabaseKind, table: string): Promise<() => Promise<number>> {
  await run('create table writes (n integer)');
  const note = 'insert into writes values (1);';
  if (kind === 'postgres') {
    await run(
      `create function note() returns trigger language plpgsql as $$ begin ${note} return null; end $$`,
    );
    await run(`create trigger noted after insert or update on ${table} for each row execute function note()`);
  } else {
    for (const event of ['insert', 'update'])
      await run(`create trigger noted_${event} after ${event} on ${table} begin ${note} end`);
  }
  return async () => {
    const { rows } = await sql<{ n: number }>`select count(*) as n from writes`.execute(volatile());
    return rows[0]?.n ?? 0;
  };
}

function guess(origin: string, secret: string) {
  const fields = { ...exchangeFields(system.app, newLegacyCode()), client_secret: secret };
  const content = rawForm(new URLSearchParams(fields).toString());
  return sendRaw(origin, { method: 'POST', path: '/1/oauth2/token.json', ...content });
}

async function guesses(origin: string, times: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < times; n += 1) statuses.push((await guess(origin, 'wrong')).status);
  return statuses;
}

/** The main API answers one call with 429. */
async function askToWait(call: () => Promise<{ status: number }>): Promise<void> {
  system.proxy.onOtherAnswer = (_call, answer) => ({
    ...answer,
    status: 429,
    headers: { 'retry-after': '30' },
  });
  expect((await call()).status).toBe(503);
  system.proxy.onOtherAnswer = undefined;
}

describe.each(modeDatabases)('on %s', (kind) => {
  test('what one bridge has counted is known to the other a second later, also for a pair that it never saw', async () => {
    await startBoth(kind);
    const token = await issueToken(system);
    const begun = performance.now();
    expect(await served(() => atFirst(token), 60)).toBe(60);
    await delay(SHARED_AFTER);
    const refused = await atSecond(token);
    expect(refused.status).toBe(429);
    // The minute began with the first call, at the other bridge.
    const since = Math.ceil((performance.now() - begun) / 1000);
    const retryAfter = Number(refused.headers['retry-after']);
    expect([retryAfter >= 60 - since, retryAfter < 60]).toEqual([true, true]);
  });

  test('calls that go by turns to both are served up to the one limit', async () => {
    await startBoth(kind);
    const token = await issueToken(system);
    const sums: number[] = [];
    for (const call of [atFirst, atSecond, atFirst, atSecond]) {
      sums.push(await served(() => call(token), 25));
      await delay(SHARED_AFTER);
    }
    expect(sums).toEqual([25, 25, 10, 0]);
  });

  test('a burst at both serves each its limit at most, and nothing a second later', async () => {
    await startBoth(kind);
    const token = await issueToken(system);
    const both = [served(() => atFirst(token), 100), served(() => atSecond(token), 100)];
    const sums = await Promise.all(both);
    expect(Math.max(...sums)).toBeLessThanOrEqual(60);
    expect(Math.max(...sums)).toBeGreaterThan(30);
    await delay(SHARED_AFTER);
    expect(await served(() => atFirst(token), 5)).toBe(0);
    expect(await served(() => atSecond(token), 5)).toBe(0);
  });

  test('five hundred calls are a few writes, and every call is counted', async () => {
    await startBoth(kind, { LEGACY_RATE_LIMIT: '1000' });
    const token = await issueToken(system);
    // The sign-in and the consent were counted too; they are written by then.
    await delay(SHARED_AFTER);
    const writes = await noteWrites(kind, 'counts');
    const started = performance.now();
    await Promise.all([served(() => atFirst(token), 250), served(() => atSecond(token), 250)]);
    await until(async () => (await countedPoints()).includes(500));
    const turns = Math.ceil((performance.now() - started) / TURN) + 1;
    expect(await writes()).toBeLessThanOrEqual(2 * turns);
  });

  test('without the tables each bridge counts alone and refuses nobody else; with them again both agree', async () => {
    await startBoth(kind);
    const token = await issueToken(system);
    await run('alter table counts rename to hidden_counts');
    await run('alter table budgets rename to hidden_budgets');
    expect(await served(() => atFirst(token), 60)).toBe(60);
    await delay(2 * SHARED_AFTER);
    expect((await atFirst(token)).status).toBe(429);
    expect(await served(() => atSecond(token), 61)).toBe(60);
    expect(await guesses(second.url, 1)).toEqual([400]);
    expect(secondSaid.match(/limits are counted alone/g)).toHaveLength(1);
    expect(secondSaid.match(/the budget is known alone/g)).toHaveLength(1);
    await run('alter table hidden_counts rename to counts');
    await run('alter table hidden_budgets rename to budgets');
    const another = await issueToken(system, { app: await system.registerApp('https://b.example/cb') });
    expect(await served(() => atFirst(another), 60)).toBe(60);
    await until(async () => (await atSecond(another)).status === 429);
    expect((await atSecond(another)).status).toBe(429);
  });

  test('an address that has guessed at one bridge waits with wrong secrets at the other, and with the right one nowhere', async () => {
    await startBoth(kind);
    expect(new Set(await guesses(system.bridgeUrl, 6))).toEqual(new Set([400]));
    await delay(SHARED_AFTER);
    expect(await guesses(second.url, 5)).toEqual([400, 400, 400, 400, 429]);
    await delay(SHARED_AFTER);
    const wrong = await guess(system.bridgeUrl, 'wrong');
    expect([wrong.status, wrong.json]).toEqual([429, expect.objectContaining({ error: 'slow_down' })]);
    expect(Number(wrong.headers['retry-after'])).toBeGreaterThan(0);
    const right = await guess(system.bridgeUrl, system.app.clientSecret);
    expect([right.status, right.json]).toEqual([400, expect.objectContaining({ error: 'invalid_grant' })]);
  });

  test('a bridge that starts knows what was counted, and the pause that the main API asked for', async () => {
    await startBoth(kind, { PROFILES_FRESH_SECONDS: '0', PROFILES_STALE_SECONDS: '0' });
    const token = await issueToken(system);
    const other = await issueToken(system, { app: await system.registerApp('https://b.example/cb') });
    await served(() => atFirst(token), 60);
    await askToWait(() => atFirst(other));
    await delay(SHARED_AFTER);
    const third = await startAnother();
    expect([(await at(third, token)).status, (await at(third, other)).status]).toEqual([429, 503]);
  });

  test('a bridge that stops tells the others what it counted last', async () => {
    await startBoth(kind);
    const token = await issueToken(system);
    const third = await startAnother();
    const stop = cleanUp.shift();
    await served(() => at(third, token), 60);
    await stop?.();
    await delay(SHARED_AFTER);
    expect((await atFirst(token)).status).toBe(429);
  });

  test('a pause that the main API asks of one bridge holds for the other within a second', async () => {
    await startBoth(kind, { PROFILES_FRESH_SECONDS: '0', PROFILES_STALE_SECONDS: '0' });
    const token = await issueToken(system);
    expect((await atSecond(token)).status).toBe(200);
    await askToWait(() => atFirst(token));
    await delay(SHARED_AFTER);
    const asked = system.proxy.readings().length;
    const paused = await atSecond(token);
    expect([paused.status, paused.headers['retry-after']]).toEqual([503, expect.stringMatching(/^(29|30)$/)]);
    expect(system.proxy.readings()).toHaveLength(asked);
  });

  test('the share that is left of the budget is known to both, and is not written with every answer', async () => {
    await startBoth(kind, { PROFILES_FRESH_SECONDS: '0', LEGACY_RATE_LIMIT: '0' });
    const token = await issueToken(system);
    const writes = await noteWrites(kind, 'budgets');
    let left = 100;
    system.proxy.onOtherAnswer = (_call, answer) => {
      left -= 1;
      const headers = {
        ratelimit: `"100-in-30days";r=${left};t=2592000`,
        'ratelimit-policy': '"100-in-30days";q=100;w=2592000',
      };
      return { ...answer, headers: { ...answer.headers, ...headers } };
    };
    const started = performance.now();
    for (let n = 0; n < 60; n += 1) await atFirst(token);
    await until(
      () => second.context.sides.mainApiFor(second.context.server.clientId).remainingShare() === left / 100,
    );
    expect([left, second.context.sides.mainApiFor(second.context.server.clientId).remainingShare()]).toEqual([
      left,
      left / 100,
    ]);
    expect(left).toBeLessThanOrEqual(40);
    const seconds = Math.ceil((performance.now() - started) / 1000);
    expect(await writes()).toBeLessThanOrEqual(2 * (seconds + 1));
  });
});
