import { clientSecretPlace } from '../../../src/domain/keys/sealing-context.ts';
import { refreshIdleGrants } from '../../../src/domain/grants/refresh/refresh-idle-grants.ts';
import { DAY } from '../../../src/shared/lifetimes.ts';
import { issueToken, read } from '../../support/callers/legacy-calls.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';

/** A modern side may let a refresh token die that nobody used for a while. */

const clock = new SettableClock();
/** A client of an app whose secret has changed at the modern side. */
const REFUSED = { clientId: 'refused-client', clientSecret: 'the-newer-secret-0123456789', name: 'Refused' };
let system: System;

beforeAll(async () => {
  const env = { GRANT_KEEPALIVE_DAYS: '5', LEGACY_RATE_LIMIT: '0' };
  system = await startSystem({ clock, env, ownClients: [REFUSED] });
  for (let number = 0; number < 6; number += 1) {
    const app = await system.registerApp(`https://idle-${number}.example/callback`);
    await issueToken(system, { app });
  }
});

afterAll(() => system.stop());

const grants = () => {
  const { durable } = system.bridge.context.store;
  return durable.selectFrom('grants').selectAll().orderBy('created_at').execute();
};

/** One run of the job; how many refreshes it sent. */
async function run(): Promise<number> {
  const before = system.proxy.refreshes().length;
  await refreshIdleGrants(system.bridge.context);
  return system.proxy.refreshes().length - before;
}

test('grants that were used within four of five days are left alone', async () => {
  clock.advance(4 * DAY - 60_000);
  expect(await run()).toBe(0);
});

test('those that fall due at once are refreshed a few at a time, each once, well before five days are over', async () => {
  clock.advance(120_000);
  const [first] = await grants();
  if (!first) throw new Error('no grant');
  const { durable } = system.bridge.context.store;
  const doubt = { state: 'in_doubt', doubt_since: clock.now(), presented_at: clock.now() } as const;
  await durable.updateTable('grants').set(doubt).where('id', '=', first.id).execute();
  const sent = [];
  for (let minute = 0; minute < 10; minute += 1) {
    sent.push(await run());
    clock.advance(60_000);
  }
  expect(Math.max(...sent)).toBeLessThanOrEqual(2);
  expect(sent.reduce((a, b) => a + b)).toBe(5);
  expect((await grants()).map(({ version }) => version)).toEqual([1, 2, 2, 2, 2, 2]);
  system.proxy.assertNoRefreshTokenTwice();
});

test('a breaker that tripped is tried by one idle grant, and its good answer lets the others follow', async () => {
  const { durable } = system.bridge.context.store;
  clock.advance(5 * DAY);
  const tripped = { tripped_at: clock.now() - DAY, next_at: clock.now() - 1, pause: 60_000 };
  await durable.updateTable('refresh_breaker').set(tripped).execute();
  expect(await run()).toBe(1);
  const row = durable.selectFrom('refresh_breaker').select('tripped_at');
  clock.advance(60_000);
  expect(await run()).toBeGreaterThan(0);
  expect(await row.executeTakeFirstOrThrow()).toEqual({ tripped_at: null });
  system.proxy.assertNoRefreshTokenTwice();
});

test('one that a caller uses is refreshed for the caller alone', async () => {
  const token = await issueToken(system);
  clock.advance(3 * DAY);
  expect((await read(system, '/1/profiles.json', token)).status).toBe(200);
  clock.advance(2 * DAY);
  const { version } = (await grants()).at(-1) ?? {};
  await run();
  expect((await grants()).at(-1)?.version).toBe(version);
});

test('those of an app whose client is refused, however many, keep no other from its refresh', async () => {
  const { store, vault } = system.bridge.context;
  const { clientId: id, clientSecret } = REFUSED;
  const secret = vault.seal(clientSecretPlace(id), `not ${clientSecret}`);
  const client = { id, client_id: system.app.clientId, secret_sealed: secret, scopes: 'account:read' };
  await store.durable
    .insertInto('modern_clients')
    .values({ ...client, proven_at: 0 })
    .execute();
  const { id: last = '' } = (await grants()).at(-1) ?? {};
  const [old, due] = [clock.now() - 10 * DAY, clock.now() - 4.5 * DAY];
  const change = (values: object) => store.durable.updateTable('grants').set(values);
  await change({ state: 'ready', modern_client_id: id, rotated_at: old }).where('id', '<>', last).execute();
  await change({ rotated_at: due }).where('id', '=', last).execute();
  for (let hour = 0; hour < 5; hour += 1) {
    clock.advance(60 * 60_000);
    await refreshIdleGrants(system.bridge.context);
  }
  const now = await grants();
  expect(now.find((grant) => grant.id === last)?.rotated_at).toBeGreaterThan(due);
  // Each of the refused has had its turn too.
  expect(now.filter((grant) => grant.retry_at === 0).map((grant) => grant.id)).toEqual([last]);
  expect(now.filter(({ state }) => state !== 'ready')).toEqual([]);
});
