import { type Ground, startGround } from './ground.ts';
import { CONTROLS, costOf, hostileShapes, type Refused } from './refusals.ts';

/**
 * What refused requests cost the bridge in CPU. Other programs share the machine, and CPU is dearer beside them: what the
 * code itself costs is the least of several rounds. A plain refused request is measured in turns with each shape, because
 * the machine may become slower in the middle of the test. Its least counts too: one dear round of it would let a dear
 * shape pass. A caller who wants to do harm sends a shape all the time: one that seems dear is measured again when the code
 * for it is as warm as that for a plain refused request. Figures for reading come from `npm run bench:refusals`.
 */

let ground: Ground;

/** After so many requests the engine of JavaScript has compiled what they run through. */
const WARM = 1500;

beforeAll(async () => {
  ground = await startGround({ LOG_LEVEL: 'error' });
  await costOf(ground, CONTROLS.plain, WARM);
  await costOf(ground, CONTROLS.page, 500);
});

afterAll(() => ground.stop());

/** What is promised of a call below /1 and at the exchange, as a multiple of a plain refused one. */
const TIMES = 3;

/** What is promised of a refused page, in milliseconds. */
const PAGE_MS = 10;

const ROUNDS = 12;
const FEWEST_ROUNDS = 3;

/** The least milliseconds of CPU of a request in some rounds. */
interface Least {
  shape: number;
  plain: number;
}

type IsDear = (least: Least) => boolean;

/** Measures a shape and a plain refused request in turns, until the shape is cheap enough. */
async function leastCpu(shape: Refused, times: number, isDear: IsDear): Promise<Least> {
  const least: Least = { shape: Infinity, plain: Infinity };
  for (let round = 0; round < ROUNDS && (round < FEWEST_ROUNDS || isDear(least)); round++) {
    if (round === FEWEST_ROUNDS) await costOf(ground, shape, WARM);
    least.shape = Math.min(least.shape, (await costOf(ground, shape, times)).cpu);
    least.plain = Math.min(least.plain, (await costOf(ground, CONTROLS.plain, times)).cpu);
  }
  return least;
}

/** The shapes that are too dear in every round, with their figures. */
async function tooDear(shapes: readonly Refused[], times: number, isDear: IsDear): Promise<string[]> {
  const dear: string[] = [];
  for (const shape of shapes) {
    const least = await leastCpu(shape, times, isDear);
    const figures = `${least.shape.toFixed(2)} ms, and ${least.plain.toFixed(2)} ms for a plain call`;
    if (isDear(least)) dear.push(`${shape.name}: ${figures}`);
  }
  return dear;
}

const shapesOf = (kind: Refused['kind']) => hostileShapes().filter((shape) => shape.kind === kind);

test('no refused call costs more than three times the CPU of a plain refused one', async () => {
  expect(await tooDear(shapesOf('plain'), 20, ({ shape, plain }) => shape > TIMES * plain)).toEqual([]);
});

test('no refused page costs more than ten milliseconds of CPU', async () => {
  expect(await tooDear(shapesOf('page'), 10, ({ shape }) => shape > PAGE_MS)).toEqual([]);
});
