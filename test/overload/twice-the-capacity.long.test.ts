import { type FilledBridge, startFilledBridge } from './support/filled-bridge.ts';
import { generate, type LoadResult } from './support/generator.ts';
import { capacityOf, expectSoundLoad, PROFILES, print, warm, wordsOf } from './support/runs.ts';

/**
 * Half a minute of twice the calls that a process can answer: of those that it accepts, 99 of 100 are answered within 200
 * ms, beside what the new API takes and what this machine adds to every time.
 */

const SECONDS = 30;
const SKIP = 3;
const LIMIT = 200;

/** The time of the new API that belongs to each call. */
interface LoadCase {
  database: 'sqlite' | 'postgres';
  name: string;
  apiTakes: number;
  env: Record<string, string>;
  /** Connections that bring the process to its capacity, and leave no read without a place. */
  connections: number;
  /** The first read of a token asks the new API twice. So few tokens are read before the load is measured. */
  tokens: number;
}

const CASES: LoadCase[] = [
  { database: 'sqlite', name: 'kept answers', apiTakes: 0, env: {}, connections: 16, tokens: 2000 },
  { database: 'postgres', name: 'kept answers', apiTakes: 0, env: {}, connections: 16, tokens: 2000 },
  ...(
    [
      ['postgres', 20],
      ['sqlite', 20],
      ['sqlite', 100],
      ['sqlite', 1000],
    ] as const
  ).map(([database, apiTakes]) => ({
    database,
    name: `calls that ask a new API which takes ${apiTakes} ms`,
    apiTakes,
    env: { PROFILES_FRESH_SECONDS: '0', PROFILES_STALE_SECONDS: '0' },
    connections: 48,
    tokens: apiTakes < 1000 ? 1000 : 100,
  })),
];

/** Beside the work of the bridge: how late everything on this machine is. */
const late = ({ lag }: LoadResult) => lag.p99;

async function measure(bridge: FilledBridge, rate: number): Promise<LoadResult> {
  const { port, tokens } = bridge;
  return generate({ port, tokens, path: PROFILES, seconds: SECONDS, skip: SKIP, rate });
}

describe.each(CASES)('on $database, $name', ({ database, apiTakes, env, connections, tokens }) => {
  let bridge: FilledBridge;
  let patient: FilledBridge;

  beforeAll(async () => {
    bridge = await startFilledBridge({ database, apiTakes, env, tokens });
    patient = await startFilledBridge({
      database,
      apiTakes,
      env: { ...env, OVERLOAD_WAIT_MS: '0' },
      tokens,
    });
  });

  afterAll(async () => {
    await bridge.stop();
    await patient.stop();
  });

  test('99 of 100 accepted calls are answered within 200 ms, and the rest is told when to come again', async () => {
    const capacity = await capacityOf(patient, connections);
    await warm(bridge, capacity * 0.8);
    const control = await measure(patient, 2 * capacity);
    const shed = await measure(bridge, 2 * capacity);
    print(`capacity ${Math.round(capacity)} calls a second, twice as many are sent`);
    print(`where nothing is refused: ${wordsOf(control)}`);
    print(`with OVERLOAD_WAIT_MS=200: ${wordsOf(shed)}; ${Math.round(bridge.memory())} MB`);
    expectSoundLoad(shed);
    expect(shed.accepted.p99).toBeLessThan(LIMIT + apiTakes + late(shed));
    expect(shed.accepted.calls / (SECONDS - SKIP)).toBeGreaterThan(capacity * 0.3);
    expect(bridge.memory()).toBeLessThan(400);
  });
});
