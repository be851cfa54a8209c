import { type Ground, startGround } from './ground.ts';
import { CONTROLS, type Cost, costOf, hostileShapes, type Refused } from './refusals.ts';

const WARM_UP = 2000;

/** A flood of one shape makes the bridge quick at it, as the plain ones before made it quick at them. */
const WARM_UP_OF_SHAPE = 500;

const DEAREST = 10;

const HEAD = `${'request'.padEnd(44)} status ms of CPU  times`;

interface MeasuredRefusals {
  times: number;
  hasOldApi: boolean;
}

const line = ({ name, status, cpu }: Cost, control: Cost): string =>
  [
    name.padEnd(44),
    String(status).padStart(4),
    cpu.toFixed(3).padStart(9),
    (cpu / control.cpu).toFixed(1).padStart(7),
  ].join(' ');

/** Runs `work` on a ground on which plain refusals have become as cheap as they get. */
async function onWarmGround<T>(hasOldApi: boolean, work: (ground: Ground) => Promise<T>): Promise<T> {
  const ground = await startGround({ LOG_LEVEL: 'error', ...(!hasOldApi && { LEGACY_BACKEND_URL: '' }) });
  try {
    await costOf(ground, CONTROLS.plain, WARM_UP);
    await costOf(ground, CONTROLS.page, WARM_UP / 2);
    return await work(ground);
  } finally {
    await ground.stop();
  }
}

/** Measures every shape and prints each as soon as it is measured, then the dearest once more. */
export async function runRefusals({ times, hasOldApi }: MeasuredRefusals): Promise<void> {
  console.log('Warming up ...');
  await onWarmGround(hasOldApi, async (ground) => {
    const controls = {
      plain: await costOf(ground, CONTROLS.plain, times * 5),
      page: await costOf(ground, CONTROLS.page, times * 5),
    };
    console.log(HEAD);
    for (const control of Object.values(controls)) console.log(line(control, control));
    const costs: Cost[] = [];
    for (const shape of hostileShapes()) {
      const cost = await costOf(ground, shape, times);
      costs.push(cost);
      console.log(line(cost, controls[cost.kind]));
    }
    console.log(`\nThe dearest\n${HEAD}`);
    const dearest = costs.toSorted((one, other) => other.cpu - one.cpu).slice(0, DEAREST);
    for (const cost of dearest) console.log(line(cost, controls[cost.kind]));
  });
}

/** Milliseconds of CPU of a shape in each round, and of the plain refused request measured beside it. */
interface RefusalRounds {
  name: string;
  kind: Refused['kind'];
  cpu: number[];
  control: number[];
}

async function roundsOf(
  ground: Ground,
  shape: Refused,
  { times, rounds }: { times: number; rounds: number },
): Promise<RefusalRounds> {
  await costOf(ground, shape, WARM_UP_OF_SHAPE);
  const measured: RefusalRounds = { name: shape.name, kind: shape.kind, cpu: [], control: [] };
  for (let round = 0; round < rounds; round += 1) {
    measured.cpu.push((await costOf(ground, shape, times)).cpu);
    measured.control.push((await costOf(ground, CONTROLS[shape.kind], times)).cpu);
  }
  return measured;
}

const LIKELY = 3;

/** The dearest shape of each kind, by several rounds in turns with a plain refused request. */
export async function findDearest(
  { times, hasOldApi }: MeasuredRefusals,
  rounds: number,
): Promise<RefusalRounds[]> {
  const middle = ({ cpu }: RefusalRounds) => cpu.toSorted((a, b) => a - b)[Math.floor(cpu.length / 2)] ?? 0;
  return onWarmGround(hasOldApi, async (ground) => {
    const costs: Array<{ shape: Refused; cpu: number }> = [];
    for (const shape of hostileShapes()) costs.push({ shape, cpu: (await costOf(ground, shape, times)).cpu });
    const found: RefusalRounds[] = [];
    for (const kind of ['plain', 'page'] as const) {
      const likely = costs
        .filter(({ shape }) => shape.kind === kind)
        .toSorted((one, other) => other.cpu - one.cpu)
        .slice(0, LIKELY);
      const again: RefusalRounds[] = [];
      for (const { shape } of likely) again.push(await roundsOf(ground, shape, { times: times * 5, rounds }));
      found.push(...again.toSorted((one, other) => middle(other) - middle(one)).slice(0, 1));
    }
    return found;
  });
}
