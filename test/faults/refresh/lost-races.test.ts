import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { accessTokenFor } from '../../../src/domain/grants/refresh/access-token.ts';
import { endGrant } from '../../../src/domain/grants/end-grant.ts';
import {
  storeRotatedPair,
  recoverSpilledPairs,
} from '../../../src/domain/grants/refresh/store-rotated-pair.ts';
import { sealPair } from '../../../src/domain/grants/sealed-pair.ts';
import { findGrant } from '../../../src/store/grants/grants.ts';
import type { Grant } from '../../../src/store/tables/tables.ts';
import { otherMachine } from '../../grants/support/other-machine.ts';
import { holdAnswer, until } from '../../support/servers/held-answer.ts';
import { issueToken, read } from '../../support/callers/legacy-calls.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';

/** What a decision that is out of date by the time it is carried out may not do to a grant. */

class SleepingMachine extends SettableClock {
  slept = 0;
  override wall(): number {
    return this.now() + this.slept;
  }
}

const VAR_DIR = mkdtempSync(join(tmpdir(), 'lost-races-'));
const SPILL = join(VAR_DIR, 'spill');
const clock = new SleepingMachine();
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
const pairs = () => readdirSync(SPILL).filter((name) => name.endsWith('.pair'));
const durable = () => system.bridge.context.store.durable;

beforeEach(async () => {
  Object.assign(system.proxy, { onTokenCall: undefined, onTokenAnswer: undefined });
  await durable().updateTable('grants').set({ state: 'dead', dead_at: 0 }).execute();
});

async function expiredToken() {
  const token = await issueToken(system);
  await profiles(token);
  clock.advance(3_700_000);
  const live = durable().selectFrom('grants').selectAll().where('state', '<>', 'dead');
  const grant = await live.executeTakeFirstOrThrow();
  const before = system.proxy.refreshes().length;
  return {
    token,
    sent: () => system.proxy.refreshes().length - before,
    row: async (): Promise<Grant> => (await findGrant(durable(), grant.id)) ?? grant,
  };
}

test('a grant that another process presents meanwhile is not given up as lost', async () => {
  const { token, row, sent } = await expiredToken();
  system.proxy.onTokenCall = () => {
    throw new Error('cut');
  };
  await profiles(token);
  system.proxy.onTokenCall = undefined;
  const asItWasRead = await row();
  expect(asItWasRead.state).toBe('in_doubt');
  clock.advance(301_000);
  const held = holdAnswer(system.proxy, 'onTokenAnswer');
  const call = profiles(token);
  await until(() => held.answer !== undefined);
  await endGrant(system.bridge.context, asItWasRead, 'lost');
  expect((await row()).state).toBe('presenting');
  held.release();
  expect((await call).headers['age']).toBeUndefined();
  expect(await row()).toMatchObject({ state: 'ready', version: 2 });
  expect(sent()).toBe(2);
});

test('the proof that nothing was spent ends the doubt in which another process has put the claim', async () => {
  const { token, row, sent } = await expiredToken();
  const machine = otherMachine(system.bridge.context, join(VAR_DIR, 'other-spill'));
  const { id } = await row();
  system.proxy.onTokenAnswer = async () => {
    clock.advance(21_000);
    await accessTokenFor(machine, { id }).catch(() => undefined);
    expect(await row()).toMatchObject({ state: 'in_doubt', version: 1 });
    return { status: 429, headers: { 'content-type': 'application/json' }, body: Buffer.from('{}') };
  };
  expect((await profiles(token)).headers['age']).toBeDefined();
  expect(await row()).toMatchObject({ state: 'ready', version: 1, doubt_since: null, doubted_at: null });
  const { retry_at: retryAt } = await row();
  // A 429 that does not say how long to wait is one all the same.
  expect(retryAt - clock.now()).toBeGreaterThan(30_000);
  const entries = await durable().selectFrom('events').select('action').where('grant_id', '=', id).execute();
  expect(entries.map(({ action }) => action).slice(-2)).toEqual(['refresh_in_doubt', 'refresh_unspent']);
  expect(sent()).toBe(1);
});

test('a refusal that comes when another process has stored the next pair ends nothing', async () => {
  const { token, row, sent } = await expiredToken();
  const { context } = system.bridge;
  const { id: grantId } = await row();
  const isRefused = { status: 400, headers: { 'content-type': 'application/json' } };
  system.proxy.onTokenAnswer = async (_call, { body }) => {
    const came = JSON.parse(String(body)) as Record<'access_token' | 'refresh_token', string>;
    const received = { accessToken: came.access_token, refreshToken: came.refresh_token };
    const times = { lifetime: 3_600_000, scope: 'account:read' };
    const next = { id: grantId, version: 2, sentAt: clock.now() };
    await storeRotatedPair(context, {
      grantId,
      version: 1,
      pair: sealPair(context, next, { ...received, ...times }),
    });
    return { ...isRefused, body: Buffer.from(JSON.stringify({ error: 'invalid_grant' })) };
  };
  const call = await profiles(token);
  expect(call.status).toBe(200);
  expect(call.headers['age']).toBeUndefined();
  expect(await row()).toMatchObject({ state: 'ready', version: 2, dead_cause: null });
  expect((await profiles(token)).status).toBe(200);
  expect(sent()).toBe(1);
});

test('a pair is kept even when the database has forgotten that it was asked for', async () => {
  const { token, row, sent } = await expiredToken();
  system.proxy.onTokenAnswer = (_call, answer) => {
    other.exec("update grants set state = 'ready', claim_id = null where state = 'presenting'");
    return answer;
  };
  expect((await profiles(token)).headers['age']).toBeUndefined();
  expect(await row()).toMatchObject({ state: 'ready', version: 2 });
  expect(sent()).toBe(1);
});

test('a machine that slept between claim and write sends nothing', async () => {
  const { token, row, sent } = await expiredToken();
  const presenting = other.prepare("select count(*) from grants where state = 'presenting'").pluck();
  const { spill } = system.bridge.context;
  expect(await spill.hasRoom()).toBe(true);
  Object.defineProperty(clock, 'slept', {
    get: () => (presenting.get() === 1 ? 600_000 : 0),
    configurable: true,
  });
  expect((await profiles(token)).headers['age']).toBeDefined();
  Object.defineProperty(clock, 'slept', { value: 0, writable: true, configurable: true });
  expect(sent()).toBe(0);
  expect(await row()).toMatchObject({ state: 'ready', version: 1 });
});

test('a sibling that appears after the decision forbids presenting a version in doubt', async () => {
  const { token, row, sent } = await expiredToken();
  system.proxy.onTokenCall = () => {
    throw new Error('cut');
  };
  await profiles(token);
  system.proxy.onTokenCall = undefined;
  clock.advance(301_000);
  const grant = await row();
  const { server } = system.bridge.context;
  const connect = server.connect.bind(server);
  const app = await system.registerApp('https://sibling.example/callback');
  server.connect = async () => {
    server.connect = connect;
    const sibling = {
      ...grant,
      id: `${grant.id.slice(0, -1)}x`,
      client_id: app.clientId,
      state: 'ready' as const,
    };
    await durable().insertInto('grants').values(sibling).execute();
    return connect();
  };
  await profiles(token);
  expect(sent()).toBe(1);
});

test('a spill file that cannot be read does not keep the others from being taken back', async () => {
  const { token, row } = await expiredToken();
  writeFileSync(join(SPILL, 'broken-1.pair'), '{');
  const held = holdAnswer(system.proxy, 'onTokenAnswer');
  const call = profiles(token);
  await until(() => held.answer !== undefined);
  other.pragma('legacy_alter_table = on');
  other.exec('alter table grants rename to hidden');
  held.release();
  await until(() => pairs().length === 2);
  other.exec('alter table hidden rename to grants');
  await recoverSpilledPairs(system.bridge.context);
  expect(await row()).toMatchObject({ state: 'ready', version: 2 });
  expect((await call).status).toBe(200);
  await until(() => pairs().length === 1);
  expect(pairs()).toEqual(['broken-1.pair']);
});

test('a stop does not present what gets its connection too late to end in time', async () => {
  const second = await startSystem({ clock, env: { PROFILES_FRESH_SECONDS: '0' } });
  const token = await issueToken(second);
  clock.advance(3_700_000);
  const { server } = second.bridge.context;
  const connect = server.connect.bind(server);
  server.connect = async () => {
    // What is left of the stop by then is shorter than a presentation may take.
    await delay(4000);
    return connect();
  };
  const call = read(second, '/1/profiles.json', token).catch(() => undefined);
  await delay(200);
  second.bridge.context.shutdown.begin(0);
  await second.bridge.context.flights.close();
  await call;
  expect(second.proxy.refreshes()).toEqual([]);
  await second.stop();
});
