import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recoverSpilledPairs } from '../../src/domain/grants/refresh/store-rotated-pair.ts';
import { resolveDoubts } from '../../src/domain/grants/resolve-doubts.ts';
import { otherMachine } from './support/other-machine.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { issueToken, read } from '../support/callers/legacy-calls.ts';

/** A file in the spill that cannot be read is no proof that no pair came. */

const clock = new SettableClock();
let system: System;
let folder: string;

beforeAll(async () => {
  const env = { PROFILES_FRESH_SECONDS: '0', PROFILES_STALE_SECONDS: '0', LEGACY_RATE_LIMIT: '0' };
  system = await startSystem({ clock, env });
  folder = mkdtempSync(join(tmpdir(), 'unreadable-spill-'));
});
afterAll(async () => {
  await system.stop();
  rmSync(folder, { recursive: true });
});

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
  clock.advance(121_000);
  expect(await statusNow()).toBe(200);
  expect(system.proxy.refreshes()).toHaveLength(1);
});

test.each([
  ['tells of it each minute', recoverSpilledPairs],
  ['looks into its doubts', resolveDoubts],
])(
  'nor does another machine, which has no such file, while the machine of the file %s',
  async (_what, look) => {
    const { context } = system.bridge;
    const { durable } = context.store;
    const other = otherMachine(context, folder);
    const row = durable.selectFrom('grants').select(['id', 'version', 'state']);
    clock.advance(3_700_000);
    const doubt = { state: 'in_doubt', doubt_since: clock.now(), presented_at: clock.now() } as const;
    await durable.updateTable('grants').set(doubt).execute();
    const before = await row.executeTakeFirstOrThrow();
    const file = join(context.spill.folder, `${before.id}.${before.version}.pair`);
    writeFileSync(file, '{"grantId":');
    for (let minute = 0; minute < 10; minute += 1) {
      await look(context);
      await resolveDoubts(other);
      clock.advance(60_000);
    }
    expect(await row.executeTakeFirst()).toEqual(before);

    await rm(file);
    for (const wait of [121_000, 301_000]) {
      clock.advance(wait);
      await resolveDoubts(other);
    }
    expect(await row.executeTakeFirst()).toEqual({ ...before, state: 'ready', version: before.version + 1 });
    system.proxy.assertNoRefreshTokenTwice();
  },
);
