import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openContext, type OpenContext } from '../../../src/app/open-context.ts';
import { readConfig } from '../../../src/config/config.ts';
import { purgeShortLived, purgeExpired } from '../../../src/domain/purge-expired.ts';
import { takeLease } from '../../../src/store/work/leases.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';

/** Counts and leases are removed when they are over, and not a moment before. */

const START = Date.parse('2026-01-01T00:00:00Z');

const folder = mkdtempSync(join(tmpdir(), 'purge-counts-'));
const clock = new SettableClock(START);
let opened: OpenContext;

beforeAll(async () => {
  const config = readConfig({
    VAR_DIR: folder,
    MODERN_AUTH_URL: 'http://127.0.0.1:9',
    MODERN_API_URL: 'http://127.0.0.1:9',
    MODERN_CLIENT_ID: 'bridge',
    LOG_LEVEL: 'error',
  });
  if (!config.upstream) throw new Error('the settings name a modern side');
  opened = await openContext(config, config.upstream, { clock });
});

afterAll(async () => {
  await opened.close();
  rmSync(folder, { recursive: true, force: true });
});

async function purgeAt(time: number): Promise<[counts: number, leases: number]> {
  const { volatile } = opened.context.store;
  clock.set(time);
  await purgeExpired(opened.context);
  await purgeShortLived(opened.context);
  const counts = await volatile.selectFrom('counts').selectAll().execute();
  const leases = await volatile.selectFrom('leases').selectAll().execute();
  return [counts.length, leases.length];
}

test('a count goes at its end, a lease after its own', async () => {
  const { counts, store } = opened.context;
  counts.count(['calls', 'app', 'account']);
  await counts.sync();
  await takeLease(store, { name: 'job', holder: 'died' }, { now: START, until: START + 60_000 });
  expect(await purgeAt(START + 59_999)).toEqual([1, 1]);
  expect(await purgeAt(START + 60_000)).toEqual([0, 1]);
  expect(await purgeAt(START + 60_001)).toEqual([0, 0]);
});
