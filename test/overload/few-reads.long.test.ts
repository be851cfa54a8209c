import { scrape, sumOf } from '../metrics/support/scrape.ts';
import { type FilledBridge, startFilledBridge } from './support/filled-bridge.ts';
import { generate } from './support/generator.ts';
import { expectSoundLoad, PROFILES, print, wordsOf } from './support/runs.ts';

/** More reads of the new API than there are places for them: nobody waits for long, and the new API is not flooded. */

/** As many reads as run in parallel at most (`src/upstream/token-endpoint-limit.ts`). */
const PLACES = 64;

let bridge: FilledBridge;

beforeAll(async () => {
  const env = { PROFILES_FRESH_SECONDS: '0', PROFILES_STALE_SECONDS: '0', OVERLOAD_WAIT_MS: '0' };
  bridge = await startFilledBridge({ apiTakes: 4000, env });
});

afterAll(() => bridge.stop());

test('reads without a place in time are told to come again, counted, and told in the log once', async () => {
  const order = { port: bridge.port, tokens: bridge.tokens, path: PROFILES, seconds: 3 };
  const result = await generate({ ...order, connections: 2 * PLACES });
  print(wordsOf(result));
  expectSoundLoad(result);
  expect(result.statuses['200']).toBeGreaterThan(0);
  expect(result.statuses['503']).toBeGreaterThan(0);
  expect(bridge.api.most).toBeLessThanOrEqual(PLACES);
  const turnedAway = sumOf(await scrape(bridge.process.url), 'grantbridge_new_api_reads_turned_away_total');
  expect(turnedAway).toBeGreaterThan(0);
  const lines = bridge.process.complaints().split('more reads come than the new API answers').length - 1;
  expect(lines).toBeGreaterThan(0);
  expect(lines).toBeLessThan(5);
});
