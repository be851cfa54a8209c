import { issueToken, read } from '../support/callers/legacy-calls.ts';
import { type ModernSideName, type System, startSystem } from '../support/bridge/system.ts';

const CALLS = 1000;
const RUN_MS = 60_000;
const LIMIT_MS = 100_000;
/** An old client gives up after twenty seconds. On a quiet machine the slowest here took 83 ms. */
const SLOWEST_MS = 20_000;

/** No stale answer may stand in for one that failed. */
const settings = { PROFILES_FRESH_SECONDS: '0', PROFILES_STALE_SECONDS: '0', LEGACY_RATE_LIMIT: '0' };

interface Run {
  /** How many calls got each status. */
  statuses: Record<number, number>;
  elapsedMs: number;
  slowestMs: number;
}

/** Calls go out evenly spread over the minute, whether or not the ones before were answered. */
async function callForOneMinute(system: System, token: string): Promise<Run> {
  const run: Run = { statuses: {}, elapsedMs: 0, slowestMs: 0 };
  const started = Date.now();
  const call = async (index: number) => {
    await new Promise((resolve) => setTimeout(resolve, (index * RUN_MS) / CALLS));
    const sent = Date.now();
    const { status } = await read(system, '/1/profiles.json', token);
    run.statuses[status] = (run.statuses[status] ?? 0) + 1;
    run.slowestMs = Math.max(run.slowestMs, Date.now() - sent);
  };
  await Promise.all(Array.from({ length: CALLS }, (_, index) => call(index)));
  return { ...run, elapsedMs: Date.now() - started };
}

const sides: ModernSideName[] = ['embedded', 'plain'];

interface Finished {
  system: System;
  run: Run;
}

async function runAgainst(modern: ModernSideName): Promise<Finished> {
  const system = await startSystem({ modern, accessTokenSeconds: 2, env: settings });
  const run = await callForOneMinute(system, await issueToken(system));
  await system.stop();
  if (process.env['TEST_LOG']) {
    const figures = { modern, ...run, refreshes: system.proxy.refreshes().length };
    process.stderr.write(`${JSON.stringify(figures)}\n`);
  }
  return { system, run };
}

/** Both sides run at the same time, so that the table costs one minute and not two. */
describe('access tokens of two seconds under one thousand calls in a minute', () => {
  let finished: Record<ModernSideName, Finished>;

  beforeAll(async () => {
    const [embedded, plain] = await Promise.all([runAgainst('embedded'), runAgainst('plain')]);
    finished = { embedded, plain };
  }, LIMIT_MS);

  describe.each(sides)('with the %s modern side', (side) => {
    test('every call with the one old token is answered 200', () => {
      const { run } = finished[side];
      expect(run.statuses).toEqual({ 200: CALLS });
      expect(run.elapsedMs).toBeGreaterThan(RUN_MS * 0.95);
    });

    test('no caller waits long, whatever is refreshed meanwhile', () => {
      expect(finished[side].run.slowestMs).toBeLessThan(SLOWEST_MS);
    });

    test('the grant is refreshed at least 25 times, and every refresh succeeds', () => {
      const refreshes = finished[side].system.proxy.refreshes();
      expect(refreshes.length).toBeGreaterThanOrEqual(25);
      expect(new Set(refreshes.map((call) => call.status))).toEqual(new Set([200]));
    });

    test('the modern side never receives a refresh token twice', () => {
      finished[side].system.proxy.assertNoRefreshTokenTwice();
    });
  });
});
