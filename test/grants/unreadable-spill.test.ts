import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startSystem, type System } from '../support/bridge/system.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { issueToken, read } from '../support/callers/legacy-calls.ts';

/** A file in the spill that cannot be read is no proof that no pair came. */

const clock = new SettableClock();
let system: System;

beforeAll(async () => {
  const env = { PROFILES_FRESH_SECONDS: '0', PROFILES_STALE_SECONDS: '0', LEGACY_RATE_LIMIT: '0' };
  system = await startSystem({ clock, env });
});
afterAll(() => system.stop());

test('the grant stays in doubt and is presented by nobody while such a file may hold its pair', async () => {
  const { store, spill } = system.bridge.context;
  const token = await issueToken(system);
  const { id, version } = await store.durable.selectFrom('grants').selectAll().executeTakeFirstOrThrow();
  clock.advance(3_700_000);
  const doubt = { state: 'in_doubt', doubt_since: clock.now(), presented_at: clock.now() } as const;
  await store.durable.updateTable('grants').set(doubt).execute();
  const statusNow = async () => (await read(system, '/1/profiles.json', token)).status;
  expect(await statusNow()).toBe(503);
  clock.advance(301_000);

  const file = join(spill.folder, `${id}.${version}.pair`);
  writeFileSync(file, '{"grantId":');
  expect(await statusNow()).toBe(503);
  expect(system.proxy.refreshes()).toEqual([]);
  expect(await store.durable.selectFrom('grants').select('state').execute()).toEqual([{ state: 'in_doubt' }]);

  // A pair for an earlier version says nothing of this one.
  await rm(file);
  writeFileSync(join(spill.folder, `${id}.${version - 1}.pair`), '{"grantId":');
  clock.advance(61_000);
  expect(await statusNow()).toBe(200);
  expect(system.proxy.refreshes()).toHaveLength(1);
});
