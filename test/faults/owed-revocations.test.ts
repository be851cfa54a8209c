import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import {
  addPendingRevocation,
  settlePendingRevocations,
} from '../../src/domain/grants/pending-revocations.ts';
import { openRefreshToken } from '../../src/domain/grants/sealed-pair.ts';
import { findGrant } from '../../src/store/grants/grants.ts';
import type { Grant } from '../../src/store/tables/tables.ts';
import { samplesOf, scrapeText, sumOf } from '../metrics/support/scrape.ts';
import { holdAnswer, until } from '../support/servers/held-answer.ts';
import { issueToken, read } from '../support/callers/legacy-calls.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** Telling the modern side what was deauthorized: once the way is free, and never where another grant would suffer. */

const clock = new SettableClock();
let system: System;

beforeAll(async () => {
  system = await startSystem({ clock, env: { PROFILES_FRESH_SECONDS: '0', LEGACY_RATE_LIMIT: '0' } });
});

afterAll(() => system.stop());

// No test leaves a grant behind that would be a sibling in the next one.
beforeEach(async () => {
  const { durable } = system.bridge.context.store;
  Object.assign(system.proxy, { onTokenAnswer: undefined, onOtherCall: undefined, onOtherAnswer: undefined });
  clock.set(Date.now());
  await durable.updateTable('grants').set({ state: 'dead' }).execute();
  await durable.deleteFrom('owed_revocations').execute();
});

async function liveGrant(): Promise<Grant> {
  const { durable } = system.bridge.context.store;
  return durable.selectFrom('grants').selectAll().where('state', '<>', 'dead').executeTakeFirstOrThrow();
}

const deauthorize = (token: string) =>
  sendRaw(system.bridgeUrl, { method: 'POST', path: `/user/deauthorize?access_token=${token}` });

const settle = () => settlePendingRevocations(system.bridge.context);

const owed = () => system.bridge.context.store.durable.selectFrom('owed_revocations').selectAll().execute();

test('a deauthorization during a refresh wins, and the pair that comes too late is revoked upstream', async () => {
  const token = await issueToken(system);
  const grant = await liveGrant();
  clock.advance(3_700_000);
  const held = holdAnswer(system.proxy, 'onTokenAnswer');
  const call = read(system, '/1/profiles.json', token);
  await until(() => held.answer !== undefined);
  expect((await deauthorize(token)).status).toBe(200);
  await settle();
  held.release();
  expect((await call).status).toBe(401);
  expect(await findGrant(system.bridge.context.store.durable, grant.id)).toMatchObject({
    state: 'dead',
    version: 1,
    refresh_token_sealed: null,
  });
  const surplus = JSON.parse(String(held.answer?.body)) as { refresh_token: string };
  await until(() => system.proxy.revoked().includes(surplus.refresh_token));
  await until(async () => (await owed()).length === 0);
});

test('a pair that comes too late is revoked when the database is back', async () => {
  const rename = (from: string, to: string) =>
    sql.raw(`alter table ${from} rename to ${to}`).execute(system.bridge.context.store.durable);
  const token = await issueToken(system);
  clock.advance(3_700_000);
  const held = holdAnswer(system.proxy, 'onTokenAnswer');
  const call = read(system, '/1/profiles.json', token);
  await until(() => held.answer !== undefined);
  await deauthorize(token);
  await settle();
  await rename('owed_revocations', 'hidden');
  held.release();
  await delay(500);
  await rename('hidden', 'owed_revocations');
  expect((await call).status).toBe(401);
  const late = JSON.parse(held.answer?.body.toString() ?? '{}') as { refresh_token: string };
  await until(() => system.proxy.revoked().includes(late.refresh_token));
  // On a busy machine an attempt may fail, and the next one comes later.
  await until(async () => {
    clock.advance(3_600_000);
    await settle();
    return (await owed()).length === 0;
  });
});

async function revocableToken() {
  const token = await issueToken(system);
  return { token, refreshToken: openRefreshToken(system.bridge.context, await liveGrant()) };
}

const awayForRevocations = async ({ path }: { path: string }) => {
  if (path === '/token/revocation') throw new Error('away');
};

test('a revocation that fails is tried again, not before its time, for as long as the modern side is away', async () => {
  const { token, refreshToken } = await revocableToken();
  system.proxy.onOtherCall = awayForRevocations;
  await deauthorize(token);
  await settle();
  expect(await owed()).toMatchObject([{ attempts: 1 }]);
  await settle();
  clock.advance(14_000);
  await settle();
  expect(await owed()).toMatchObject([{ attempts: 1 }]);
  system.proxy.onOtherCall = undefined;
  system.proxy.onOtherAnswer = () => ({ status: 503, headers: {}, body: Buffer.from('') });
  for (let attempt = 2; attempt <= 30; attempt += 1) {
    clock.advance(15 * 60_000);
    await settle();
    expect(await owed()).toMatchObject([{ attempts: attempt }]);
  }
  system.proxy.onOtherAnswer = undefined;
  const told = system.proxy.revoked().length;
  clock.advance(15 * 60_000);
  await settle();
  expect(await owed()).toEqual([]);
  expect(system.proxy.revoked()).toHaveLength(told + 1);
  expect(system.proxy.revoked()).toContain(refreshToken);
});

test('a revocation is not even owed while another grant of the account lives', async () => {
  const { token, refreshToken } = await revocableToken();
  const { context } = system.bridge;
  const grant = await liveGrant();
  await issueToken(system, { app: await system.registerApp('https://sibling.example/callback') });
  await context.store.transaction(async (tx) => {
    await addPendingRevocation(context, tx, { grant, refreshToken });
    expect(await tx.selectFrom('owed_revocations').selectAll().execute()).toEqual([]);
  });
  await deauthorize(token);
  await settle();
  expect(system.proxy.revoked()).not.toContain(refreshToken);
});

test('an owed revocation is dropped unsent when another grant of the account lives by then', async () => {
  const { token, refreshToken } = await revocableToken();
  system.proxy.onOtherCall = awayForRevocations;
  await deauthorize(token);
  await settle();
  system.proxy.onOtherCall = undefined;
  await issueToken(system);
  clock.advance(60_000);
  await settle();
  expect(await owed()).toEqual([]);
  expect(system.proxy.revoked()).not.toContain(refreshToken);
});

test('many that can never be sent keep no other from being sent', async () => {
  const { token, refreshToken } = await revocableToken();
  const { id: grant_id } = await liveGrant();
  system.proxy.onOtherCall = awayForRevocations;
  await deauthorize(token);
  await settle();
  system.proxy.onOtherCall = undefined;
  clock.advance(20 * 60_000);
  const stuck = { grant_id, token_sealed: 'opens with no key', created_at: 0, next_at: clock.now() };
  const rows = Array.from({ length: 100 }, (_, number) => ({ id: `stuck-${number}`, ...stuck }));
  await system.bridge.context.store.durable.insertInto('owed_revocations').values(rows).execute();
  await settle();
  expect(system.proxy.revoked()).toContain(refreshToken);
  expect(await owed()).toHaveLength(100);
});

test('a new one is sent at once, however many failed before', async () => {
  const { token, refreshToken } = await revocableToken();
  const { id: grant_id } = await liveGrant();
  const stuck = { grant_id, token_sealed: 'opens with no key', created_at: 0, next_at: 0, attempts: 9 };
  const rows = Array.from({ length: 300 }, (_, number) => ({ id: `stuck-${number}`, ...stuck }));
  await system.bridge.context.store.durable.insertInto('owed_revocations').values(rows).execute();
  await deauthorize(token);
  await settle();
  expect(system.proxy.revoked()).toContain(refreshToken);
});

test('the metrics tell how many are owed, and for how long the oldest is', async () => {
  const gauges = async () => {
    const samples = samplesOf(await scrapeText(system.bridgeUrl));
    const names = ['grantbridge_owed_revocations', 'grantbridge_owed_revocations_oldest_seconds'];
    return names.map((name) => sumOf(samples, name, {}));
  };
  const { token } = await revocableToken();
  const { id: grant_id } = await liveGrant();
  // That of a new consent is not owed yet.
  const later = { id: grant_id, grant_id, token_sealed: '', created_at: 0, next_at: clock.now() + 600_000 };
  await system.bridge.context.store.durable.insertInto('owed_revocations').values(later).execute();
  expect(await gauges()).toEqual([0, 0]);
  system.proxy.onOtherCall = awayForRevocations;
  await deauthorize(token);
  await settle();
  clock.advance(5000);
  const [count, oldest] = await gauges();
  expect(count).toBe(1);
  expect(oldest).toBeGreaterThanOrEqual(5);
  expect(oldest).toBeLessThan(60);
});
