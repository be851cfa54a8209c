import { type Ground, startGround } from './ground.ts';
import { CONTROLS, costOf, hostileShapes, type Refused } from './refusals.ts';

/**
 * What refused requests cost the bridge in CPU. Other programs share the machine, and CPU is dearer beside them: what the
 * code itself costs is the least of several rounds. The least of a shape is compared with the least of the plain refused
 * request, which is measured in as many rounds before: one dear round of that would let a dear shape pass. Figures for reading come from `npm run bench:refusals`.
 */

let ground: Ground;

beforeAll(async () => {
  ground = await startGround({ LOG_LEVEL: 'error' });
  await costOf(ground, CONTROLS.plain, 1500);
  await costOf(ground, CONTROLS.page, 500);
});

afterAll(() => ground.stop());

/** What is promised of a call below /1 and at the exchange, as a multiple of a plain refused one. */
const TIMES = 3;

/** What is promised of a refused page, in milliseconds. */
const PAGE_MS = 10;

const ROUNDS = 12;

/** The least milliseconds of CPU of so many rounds; no more rounds once it is at most `enough`. */
async function leastCpu(shape: Refused, times: number, enough = 0): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < ROUNDS && least > enough; round++)
    least = Math.min(least, (await costOf(ground, shape, times)).cpu);
  return least;
}

interface Measure {
  /** Requests in one round. */
  times: number;
  /** Milliseconds of CPU that one may take. */
  bound: number;
}

/** The shapes that are above the bound in every round, with the least of their figures. */
async function tooDear(shapes: readonly Refused[], { times, bound }: Measure): Promise<string[]> {
  const dear: string[] = [];
  for (const shape of shapes) {
    const least = await leastCpu(shape, times, bound);
    if (least > bound) dear.push(`${shape.name}: ${least.toFixed(2)} ms, above ${bound.toFixed(2)}`);
  }
  return dear;
}

const shapesOf = (kind: Refused['kind']) => hostileShapes().filter((shape) => shape.kind === kind);

test('no refused call costs more than three times the CPU of a plain refused one', async () => {
  const bound = TIMES * (await leastCpu(CONTROLS.plain, 60));
  expect(await tooDear(shapesOf('plain'), { times: 20, bound })).toEqual([]);
});

test('no refused page costs more than ten milliseconds of CPU', async () => {
  expect(await tooDear(shapesOf('page'), { times: 10, bound: PAGE_MS })).toEqual([]);
});
