import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withLease } from '../../src/domain/work/lease.ts';
import { Sqlite } from '../../src/shared/sqlite.ts';
import { SECOND, STOP_LIMIT } from '../../src/shared/lifetimes.ts';
import { startSystem } from '../support/bridge/system.ts';

/** Work that never ends does not keep the process from writing what is in memory. */

test('work that does not end is left, and the database is closed within the limit of a stop', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stopping-work-'));
  const file = join(folder, 'bridge.db');
  const system = await startSystem({ env: { DATABASE_URL: `sqlite:${file}` } });
  const { context } = system.bridge;
  const lease = { name: 'without an end', limit: 300_000 };
  void context.flights.run('work', () => withLease(context, lease, () => new Promise(() => undefined)));
  expect(existsSync(`${file}-wal`)).toBe(true);
  const begun = performance.now();
  await system.bridge.close();
  const took = performance.now() - begun;
  expect(took).toBeGreaterThan(STOP_LIMIT / 2);
  expect(took).toBeLessThan(STOP_LIMIT + 5 * SECOND);
  expect(existsSync(`${file}-wal`)).toBe(false);
  // What the work held is free for the next start.
  const beside = new Sqlite(join(folder, 'bridge-volatile.db'));
  expect(beside.prepare('select name from leases').all()).toEqual([]);
  beside.close();
  await system.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);
