import { TEXT_FORM } from '../../src/domain/posts/fresh-text.ts';
import { cutOverApp } from '../../src/domain/cut-over/cut-over-app.ts';
import { isMovedEarly } from '../../src/domain/cut-over/moved-early.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { setDate } from '../../src/store/lifecycle/lifecycle-dates.ts';
import { until } from '../support/servers/held-answer.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../support/servers/old-backend.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { addPairs, type ConnectedPair } from './support/pairs.ts';

/** A cut-over of an app while its old API runs: by whole accounts, each on one side, and back. */

const CALLS = ['/1/info/configuration.json', `/1/updates/${'a'.repeat(24)}/interactions.json`];
const HEADER = 'x-row';
const account: OldAccount = { tokens: [], user: { id: newHexId() }, profiles: [] };
let old: OldBackend;
let system: System;
let pairs: ConnectedPair[];

beforeAll(async () => {
  old = await startOldBackend({ accounts: [account] });
  system = await startSystem({ env: { LEGACY_BACKEND_URL: old.url, LEGACY_RATE_LIMIT: '0' } });
  pairs = await addPairs(system.bridge.context, { clientId: system.app.clientId, count: 100 });
  account.tokens.push(...pairs.map(({ token }) => token));
});

afterAll(async () => {
  await system.stop();
  await old.close();
});

const change = (percent: number, before: number, clientId = system.app.clientId) => ({
  clientId,
  percent,
  before,
  reason: 'asked for',
  actor: 'command:test',
});

const cutOver = (percent: number, before: number) =>
  cutOverApp(system.bridge.context, change(percent, before));

/** Whether the old API got the call; else the new API answered it. */
async function isPassed({ token }: ConnectedPair, path: string, method = 'GET'): Promise<boolean> {
  const row = newHexId();
  const headers = { authorization: `Bearer ${token}`, [HEADER]: row };
  const { status } = await sendRaw(system.bridgeUrl, { method, path, headers });
  const passed = old.requests.some((request) => request.headers[HEADER] === row);
  if (!passed) expect(status).toBe(200);
  return passed;
}

/** Whether the new API answers an account; every call of an account goes to one side. */
async function isMoved(pair: ConnectedPair): Promise<boolean> {
  const passed = [await isPassed(pair, CALLS[0]!), await isPassed(pair, CALLS[1]!)];
  expect(passed[0]).toBe(passed[1]);
  return passed[0] === false;
}

const TEN = Array.from({ length: 10 }, (_, index) => index * 10);

/** The accounts that the new API answers; ten accounts call at once. */
async function moved(): Promise<string[]> {
  const found: string[] = [];
  for (const start of TEN) {
    const some = pairs.slice(start, start + 10);
    const sides = await Promise.all(some.map(isMoved));
    found.push(...some.filter((_, index) => sides[index]).map(({ accountId }) => accountId));
  }
  return found;
}

const expected = (percent: number) =>
  pairs
    .map(({ accountId }) => accountId)
    .filter((accountId) => isMovedEarly({ clientId: system.app.clientId, accountId }, percent));

test('an app is cut over by whole accounts that stay the same, further, and back', async () => {
  expect(await moved()).toEqual([]);
  await cutOver(30, 0);
  const first = await moved();
  expect(first).toEqual(expected(30));
  expect(await moved()).toEqual(first);
  await cutOver(60, 30);
  const second = await moved();
  expect(second).toEqual(expected(60));
  expect(first.filter((id) => !second.includes(id))).toEqual([]);
  await cutOver(100, 60);
  expect(await moved()).toHaveLength(pairs.length);
  await cutOver(0, 100);
  expect(await moved()).toEqual([]);
});

test('the history says who changed it, from what to what, and why', async () => {
  const { durable } = system.bridge.context.store;
  const events = await durable
    .selectFrom('events')
    .select(['actor', 'client_id', 'reason'])
    .where('action', '=', 'app_cut_over')
    .orderBy('id')
    .execute();
  const by = { actor: 'command:test', client_id: system.app.clientId };
  expect(events).toEqual([
    { ...by, reason: '30 % of the accounts, was 0 %; asked for' },
    { ...by, reason: '60 % of the accounts, was 30 %; asked for' },
    { ...by, reason: '100 % of the accounts, was 60 %; asked for' },
    { ...by, reason: '0 % of the accounts, was 100 %; asked for' },
  ]);
  const row = await durable.selectFrom('apps').selectAll().where('client_id', '=', by.client_id).execute();
  expect(row).toMatchObject([
    { cut_over_percent: 0, cut_over_by: 'command:test', cut_over_reason: 'asked for' },
  ]);
});

test('a decision on another percentage than there is, or for nobody, changes nothing', async () => {
  const { context } = system.bridge;
  await expect(cutOver(50, 20)).rejects.toThrow('changed meanwhile');
  await expect(cutOver(0, 0)).rejects.toThrow('already');
  await expect(cutOverApp(context, change(5, 0, 'nobody'))).rejects.toThrow('No app');
  await expect(cutOverApp(context, { ...change(5, 0), reason: ' ' })).rejects.toThrow('reason');
  const atOnce = await Promise.allSettled([cutOver(10, 0), cutOver(20, 0), cutOver(40, 0)]);
  expect(atOnce.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const row = await context.store.durable.selectFrom('apps').select('cut_over_percent').execute();
  await cutOver(0, row.find(({ cut_over_percent: now }) => now > 0)!.cut_over_percent);
});

test('both sides end the token of an account that is cut over', async () => {
  await cutOver(100, 0);
  const [first] = pairs.splice(0, 1);
  account.tokens = [first!.token];
  const before = old.seen('POST', '/1/user/deauthorize.json').length;
  const headers = { authorization: `Bearer ${first!.token}` };
  const end = { method: 'POST', path: '/1/user/deauthorize.json', headers };
  expect((await sendRaw(system.bridgeUrl, end)).status).toBe(200);
  await until(() => old.seen('POST', '/1/user/deauthorize.json').length === before + 1);
});

test('a kept text of a list is told once the old API is retired, and not while the old API runs', async () => {
  const { store, lifecycle, clock } = system.bridge.context;
  await cutOver(0, 100);
  const [pair] = pairs.slice(-1);
  const { grant_id: grantId } = await store.durable
    .selectFrom('mappings')
    .select('grant_id')
    .where('id', '=', pair!.mappingId)
    .executeTakeFirstOrThrow();
  const id = newHexId();
  const kept = {
    id: `${grantId} pending ${id}`,
    answer_id: `${grantId} pending ${id}`,
    grant_id: String(grantId),
    modern_client_id: system.bridge.context.server.clientId,
    fetched_at: clock.now(),
    valid_from: 0,
    valid_until: Number.MAX_SAFE_INTEGER,
    key: `${TEXT_FORM} ${system.app.clientId} 20 false`,
    text: '{"kept":true}',
  };
  await store.volatile.insertInto('told_lists').values(kept).execute();
  const path = `/1/profiles/${id}/updates/pending.json`;
  expect(await isPassed(pair!, path)).toBe(true);
  const now = clock.now();
  await setDate(store.durable, { name: 'retirement', at: now - 1, changed_at: now, changed_by: 'test' });
  await lifecycle.refresh();
  const headers = { authorization: `Bearer ${pair!.token}` };
  expect(await sendRaw(system.bridgeUrl, { path, headers })).toMatchObject({ status: 200, text: kept.text });
});
