import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SECOND, STOP_LIMIT } from '../../src/shared/lifetimes.ts';
import { startSystem } from '../support/bridge/system.ts';

/** Work that never ends does not keep the process from writing what is in memory. */

test('work that does not end is left, and the database is closed within the limit of a stop', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stopping-work-'));
  const file = join(folder, 'bridge.db');
  const system = await startSystem({ env: { DATABASE_URL: `sqlite:${file}` } });
  void system.bridge.context.flights.run('work without an end', () => new Promise(() => undefined));
  expect(existsSync(`${file}-wal`)).toBe(true);
  const begun = performance.now();
  await system.bridge.close();
  const took = performance.now() - begun;
  expect(took).toBeGreaterThan(STOP_LIMIT / 2);
  expect(took).toBeLessThan(STOP_LIMIT + 5 * SECOND);
  expect(existsSync(`${file}-wal`)).toBe(false);
  await system.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);
