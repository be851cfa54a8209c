import { type Ground, startGround } from './ground.ts';
import { CONTROLS, costOf, hostileShapes, type Refused } from './refusals.ts';

/**
 * What refused requests cost the bridge in CPU. Other programs share the machine, and CPU is dearer beside them: a plain
 * refused request is measured before and after each of the others, and what is too dear is measured again, for what the
 * code itself costs is the least of several rounds. Figures for reading come from `npm run bench:refusals`.
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

interface Measure {
  /** What is compared with the bound. */
  of: (shape: Refused) => Promise<number>;
  bound: number;
}

const calls: Measure = {
  of: async (shape) => {
    const before = await costOf(ground, CONTROLS.plain, 60);
    const { cpu } = await costOf(ground, shape, 20);
    const after = await costOf(ground, CONTROLS.plain, 60);
    return (2 * cpu) / (before.cpu + after.cpu);
  },
  bound: TIMES,
};

const pages: Measure = {
  of: async (shape) => (await costOf(ground, shape, 10)).cpu,
  bound: PAGE_MS,
};

/** The shapes that are above the bound in every round, with the least of their figures. */
async function tooDear(shapes: readonly Refused[], { of, bound }: Measure): Promise<string[]> {
  const dear: string[] = [];
  for (const shape of shapes) {
    let least = Infinity;
    for (let round = 0; round < ROUNDS && least > bound; round++) least = Math.min(least, await of(shape));
    if (least > bound) dear.push(`${shape.name}: ${least.toFixed(1)}`);
  }
  return dear;
}

const shapesOf = (kind: Refused['kind']) => hostileShapes().filter((shape) => shape.kind === kind);

test('no refused call costs more than three times the CPU of a plain refused one', async () => {
  expect(await tooDear(shapesOf('plain'), calls)).toEqual([]);
});

test('no refused page costs more than ten milliseconds of CPU', async () => {
  expect(await tooDear(shapesOf('page'), pages)).toEqual([]);
});
