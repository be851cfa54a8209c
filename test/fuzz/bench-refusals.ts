import { startGround } from './ground.ts';
import { CONTROLS, type Cost, costOf, hostileShapes } from './refusals.ts';

const WARM_UP = 2000;

const DEAREST = 10;

const HEAD = `${'request'.padEnd(44)} status ms of CPU  times`;

interface Wanted {
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

/** Measures every shape and prints each as soon as it is measured, then the dearest once more. */
export async function runRefusals({ times, hasOldApi }: Wanted): Promise<void> {
  const ground = await startGround({ LOG_LEVEL: 'error', ...(!hasOldApi && { LEGACY_BACKEND_URL: '' }) });
  try {
    console.log('Warming up ...');
    await costOf(ground, CONTROLS.plain, WARM_UP);
    await costOf(ground, CONTROLS.page, WARM_UP / 2);
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
  } finally {
    await ground.stop();
  }
}
