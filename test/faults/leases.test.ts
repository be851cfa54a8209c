import { newHexId } from '../../src/shared/ids.ts';
import { takeLease } from '../../src/store/work/leases.ts';
import { issueToken, read } from '../support/callers/legacy-calls.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** A lease saves work; whatever becomes of it, a version is presented once. */

const clock = new SettableClock();
let system: System;

beforeAll(async () => {
  clock.run();
  system = await startSystem({ clock, env: { PROFILES_FRESH_SECONDS: '0', LEGACY_RATE_LIMIT: '0' } });
});

afterAll(() => system.stop());

const store = () => system.bridge.context.store;

async function expiredToken() {
  const token = await issueToken(system);
  const live = store().durable.selectFrom('grants').selectAll().where('state', '<>', 'dead');
  const grant = await live.executeTakeFirstOrThrow();
  const ended = { access_expires_at: 0, refresh_at: 0 };
  await store().durable.updateTable('grants').set(ended).where('id', '=', grant.id).execute();
  const before = system.proxy.refreshes().length;
  return { token, grant, sent: () => system.proxy.refreshes().length - before };
}

test('while another process holds the lease of a grant nothing is sent; when it has died another goes on', async () => {
  const { token, grant, sent } = await expiredToken();
  const lease = { name: `refresh ${grant.id}`, holder: newHexId() };
  const now = clock.now();
  expect(await takeLease(store(), lease, { now, until: now + 700 })).toBe(true);
  expect((await read(system, '/1/profiles.json', token)).status).toBe(200);
  expect(clock.now()).toBeGreaterThanOrEqual(now + 700);
  expect(sent()).toBe(1);
});

test('a table of leases that is gone stops nothing', async () => {
  const { token, sent } = await expiredToken();
  await store().volatile.schema.dropTable('leases').execute();
  const calls = Array.from({ length: 20 }, () => read(system, '/1/profiles.json', token));
  expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([200]));
  expect(sent()).toBe(1);
  system.proxy.assertNoRefreshTokenTwice();
});
