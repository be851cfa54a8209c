import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../support/servers/held-answer.ts';
import { scrape, sumOf } from '../metrics/support/scrape.ts';
import { type FilledBridge, startFilledBridge } from './support/filled-bridge.ts';
import { generate, type LoadResult } from './support/generator.ts';
import { capacityOf, expectSoundLoad, PROFILES, print, wordsOf } from './support/runs.ts';

/**
 * A process that gets twice the calls that it can answer, beside one that refuses nothing. `npm run test:long` has longer
 * loads; here only their order counts, because other tests run on the same machine.
 */

/** Reads of the new API a second of a process that has a core for most of the time. */
const WHOLE_CORE = 200;

const SECONDS = 4;
/** The first second shows the process that it is overloaded. */
const SKIP = 2;

/** Each read asks the new API: calls with kept answers are not refused. */
const ASKS = { PROFILES_FRESH_SECONDS: '0', PROFILES_STALE_SECONDS: '0' };

let bridge: FilledBridge;
let patient: FilledBridge;

beforeAll(async () => {
  bridge = await startFilledBridge({ env: ASKS });
  patient = await startFilledBridge({ env: { ...ASKS, OVERLOAD_WAIT_MS: '0' } });
});

afterAll(async () => {
  await bridge.stop();
  await patient.stop();
});

const loadOf = (one: FilledBridge, rate: number) =>
  generate({ port: one.port, tokens: one.tokens, path: PROFILES, seconds: SECONDS, skip: SKIP, rate });

/** A machine that does much else may not bring as much load as was asked for: then more is asked for. */
async function overloadOf(rate: number): Promise<LoadResult> {
  const result = await loadOf(bridge, rate);
  print(`asked for ${Math.round(rate)} a second: ${wordsOf(result)}`);
  if ((result.statuses['503'] ?? 0) > 0 || rate > 60_000) return result;
  return overloadOf(rate * 2);
}

test('at twice its capacity a process answers some calls soon and refuses the rest, and then all is as before', async () => {
  const capacity = await capacityOf(patient);
  const before = bridge.memory();
  const control = await loadOf(patient, 2 * capacity);
  print(`capacity ${Math.round(capacity)} calls a second; where nothing is refused: ${wordsOf(control)}`);
  const shed = await overloadOf(2 * capacity);
  expectSoundLoad(shed);
  expect(shed.statuses['503']).toBeGreaterThan(0);
  expect(shed.accepted.calls).toBeGreaterThan(0);
  // Far apart: there the calls of seconds wait for each other. A process that gets no time of its machine shows nothing.
  if (capacity > WHOLE_CORE && control.accepted.p99 > 1000)
    expect(shed.accepted.p99).toBeLessThan(control.accepted.p99 / 2);
  expect(bridge.memory() - before).toBeLessThan(200);
  const samples = await scrape(bridge.process.url);
  expect(sumOf(samples, 'grantbridge_calls_total', { outcome: 'shed' })).toBeGreaterThan(0);
  await until(async () => {
    const { statuses } = await generate({
      port: bridge.port,
      tokens: bridge.tokens,
      path: PROFILES,
      seconds: 1,
      rate: 50,
    });
    return Object.keys(statuses).join() === '200';
  }, 30_000);
  expect(bridge.process.complaints()).toContain('the bridge has more calls than it can answer');
});

const shareOf = ({ accepted, refused }: LoadResult) => refused.calls / (accepted.calls + refused.calls);

test('beside the flood of one app far fewer calls of another are refused', async () => {
  const capacity = await capacityOf(patient, 16, 1);
  const [flooding = '', other = ''] = bridge.tokensOfApp;
  const order = { port: bridge.port, path: PROFILES, seconds: SECONDS, skip: SKIP };
  const [flood, few] = await Promise.all([
    generate({ ...order, tokens: flooding, rate: 3 * capacity }),
    // Far below its share, however slow this machine is.
    generate({ ...order, tokens: other, rate: capacity / 20 }),
  ]);
  print(`flood: ${wordsOf(flood)}`);
  print(`other app: ${wordsOf(few)}`);
  [flood, few].forEach(expectSoundLoad);
  expect(shareOf(few)).toBeLessThanOrEqual(shareOf(flood) / 4);
});

/** Tokens that no app has. */
const strangers = () => Array.from({ length: 500 }, (_, n) => `1/${n.toString(16).padStart(32, 'f')}`);

describe('beside a flood of', () => {
  let keeping: FilledBridge;
  let folder: string;

  beforeAll(async () => {
    keeping = await startFilledBridge();
    folder = mkdtempSync(join(tmpdir(), 'strangers-'));
    writeFileSync(join(folder, 'tokens'), strangers().join('\n'));
    // Each token has its kept answer, and the process has compiled what it runs.
    for (const tokens of keeping.tokensOfApp)
      await generate({ port: keeping.port, path: PROFILES, tokens, seconds: 2, connections: 16 });
  });

  afterAll(async () => {
    await keeping.stop();
    rmSync(folder, { recursive: true });
  });

  test.each([
    ['kept answers', () => keeping.tokensOfApp[0] ?? ''],
    ['tokens that no app has', () => join(folder, 'tokens')],
  ])('%s nearly every other call of another app is answered', async (_flood, tokensOf) => {
    const { port, tokensOfApp } = keeping;
    const order = { port, seconds: SECONDS + SKIP, skip: SKIP };
    const [flood, few] = await Promise.all([
      generate({ ...order, path: PROFILES, tokens: tokensOf(), rate: 16_000 }),
      generate({ ...order, path: `${PROFILES}?subprofiles=1`, tokens: tokensOfApp[1] ?? '', rate: 20 }),
    ]);
    print(`flood: ${wordsOf(flood)}`);
    print(`other app: ${wordsOf(few)}`);
    expect(shareOf(few)).toBeLessThan(0.1);
  });
});
