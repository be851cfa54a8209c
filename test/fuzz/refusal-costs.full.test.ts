import { type Ground, startGround } from './ground.ts';
import { CONTROLS, costOf, hostileShapes } from './refusals.ts';

/** What refused requests cost the bridge. Figures for reading come from `npm run bench:refusals`. */

let ground: Ground;

beforeAll(async () => {
  ground = await startGround({ LOG_LEVEL: 'error' });
});

afterAll(() => ground.stop());

/** Six times is twice what is promised, and a tenth of what the dearest cost before anything was counted first. */
const MOST = 6;

/** What is measured again before it is believed: other programs share the machine. */
const ROUNDS = 5;

test('no refused request costs many times a plain refused one', async () => {
  await costOf(ground, CONTROLS.plain, 1500);
  const dear: string[] = [];
  for (const shape of hostileShapes()) {
    let least = Infinity;
    for (let round = 0; round < ROUNDS && least > MOST; round++) {
      const control = await costOf(ground, CONTROLS.plain, 100);
      const cost = await costOf(ground, shape, 20);
      least = Math.min(least, cost.cpu / control.cpu);
    }
    if (least > MOST) dear.push(`${shape.name}: ${least.toFixed(1)} times`);
  }
  expect(dear).toEqual([]);
});
