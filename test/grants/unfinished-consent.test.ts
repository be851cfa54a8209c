import { settlePendingRevocations } from '../../src/domain/grants/pending-revocations.ts';
import { UNFINISHED_CONSENT } from '../../src/shared/lifetimes.ts';
import type { LegacyApp } from '../support/callers/authorize.ts';
import { authorizeIn, issueToken, read } from '../support/callers/legacy-calls.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { openStoreBreaker, type StoreBreaker } from '../support/database/store-breaker.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** A consent that is cut after the modern grant was stored and before the app got its code. */

const clock = new SettableClock();
let system: System;
let breaker: StoreBreaker;
let app: LegacyApp;

beforeAll(async () => {
  system = await startSystem({ clock, env: { PROFILES_FRESH_SECONDS: '0', LEGACY_RATE_LIMIT: '0' } });
  breaker = await openStoreBreaker(system.bridge.database);
});
afterAll(async () => {
  await breaker.close();
  await system.stop();
});

const durable = () => system.bridge.context.store.durable;
const owed = () => durable().selectFrom('owed_revocations').selectAll().execute();

/** No grant of another test is a sibling in this one. */
beforeEach(async () => {
  clock.set(Date.now());
  await durable().updateTable('grants').set({ state: 'dead', dead_cause: 'replaced' }).execute();
  await durable().deleteFrom('owed_revocations').execute();
  app = await system.registerApp('https://old-app.example/callback');
});

const grants = () =>
  durable()
    .selectFrom('grants')
    .select(['state', 'dead_cause'])
    .where('client_id', '=', app.clientId)
    .orderBy('created_at')
    .execute();

/** The database takes the grant and not the code. */
async function cutConsent(): Promise<void> {
  await breaker.whileFailing('insert on legacy_codes', async () => {
    const { code, location } = await authorizeIn(system, { app });
    expect(code).toBeUndefined();
    expect(location).toContain('error=temporarily_unavailable');
  });
}

async function settleAfter(ms: number): Promise<string[]> {
  const before = system.proxy.revoked().length;
  clock.advance(ms);
  await settlePendingRevocations(system.bridge.context);
  return system.proxy.revoked().slice(before);
}

test('its grant is revoked upstream after ten minutes, and not before', async () => {
  await cutConsent();
  expect(await grants()).toEqual([{ state: 'ready', dead_cause: null }]);
  expect(await settleAfter(UNFINISHED_CONSENT - 1000)).toEqual([]);
  expect(await settleAfter(2000)).toHaveLength(1);
  expect(await grants()).toEqual([{ state: 'dead', dead_cause: 'unfinished' }]);
  expect(await owed()).toEqual([]);
  const events = durable().selectFrom('events').select('action').where('reason', '=', 'unfinished');
  expect(await events.execute()).toEqual([{ action: 'grant_died' }]);
});

test('a consent that led to a code owes nothing, also where the code is never exchanged', async () => {
  const { code } = await authorizeIn(system, { app });
  expect(code).toBeDefined();
  expect(await owed()).toEqual([]);
  expect(await settleAfter(2 * UNFINISHED_CONSENT)).toEqual([]);
  expect(await grants()).toEqual([{ state: 'ready', dead_cause: null }]);
});

test('a grant that serves tokens which waited for it lives on', async () => {
  const token = await issueToken(system, { app });
  await cutConsent();
  expect(await settleAfter(2 * UNFINISHED_CONSENT)).toEqual([]);
  expect(await grants()).toEqual([
    { state: 'dead', dead_cause: 'replaced' },
    { state: 'ready', dead_cause: null },
  ]);
  expect(await owed()).toEqual([]);
  expect((await read(system, '/1/profiles.json', token)).status).toBe(200);
});

test('whoever starts again within the ten minutes loses nothing', async () => {
  await cutConsent();
  const token = await issueToken(system, { app });
  expect(await settleAfter(2 * UNFINISHED_CONSENT)).toEqual([]);
  expect((await read(system, '/1/profiles.json', token)).status).toBe(200);
});

test('beside another grant of the account on the same client it is ended and left to expire', async () => {
  const other = await system.registerApp('https://sibling.example/callback');
  const token = await issueToken(system, { app: other });
  await cutConsent();
  expect(await settleAfter(2 * UNFINISHED_CONSENT)).toEqual([]);
  expect(await grants()).toEqual([{ state: 'dead', dead_cause: 'unfinished' }]);
  expect((await read(system, '/1/profiles.json', token)).status).toBe(200);
});
