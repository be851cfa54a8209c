import { type Budget, DAY, type ShadowedReader, startShadowedReader } from '../support/shadowed-reader.ts';

/** LEGACY_SHADOW: how large a share of what is left of the new API's limits comparisons may cost. */

let shadowed: ShadowedReader;

beforeAll(async () => {
  shadowed = await startShadowedReader();
});

afterAll(() => shadowed.stop());

beforeEach(() => shadowed.reset());

/** How many requests comparisons cost while many reads passed; those that run have ended. */
async function cost(): Promise<number> {
  const asked = await shadowed.reader.asked(async () => {
    await shadowed.passMany(400);
    const { flights } = shadowed.door.bridge.context;
    for (const place of [0, 1]) await flights.run(`shadow of a passed read ${place}`, async () => undefined);
  });
  return asked.length;
}

test.each<[string, Budget[], number, number]>([
  ['below three tenths nothing is compared', [[29_000, 100_000, 900]], 0, 0],
  [
    'one window below three tenths is enough',
    [
      [90_000, 90_000, 900],
      [29_999, 100_000, 86_400],
    ],
    0,
    0,
  ],
  ['of a hundred five at most', [[100, 100, 900]], 1, 5],
  ['of three hundred of a thousand fifteen at most', [[300, 1000, 900]], 1, 15],
  [
    'the window with the fewest counts',
    [
      [50_000, 100_000, 900],
      [100, 100, 86_400],
    ],
    1,
    5,
  ],
])('%s', async (_what, windows, least, most) => {
  await shadowed.leave(...windows);
  const first = await cost();
  expect(first).toBeGreaterThanOrEqual(least);
  // Two windows of the count may stand in one of the budget.
  shadowed.clock.advance(DAY + 1000);
  await shadowed.leave(...windows);
  expect(first + (await cost())).toBeLessThanOrEqual(most);
});
