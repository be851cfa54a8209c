import { paceWords } from '../../src/cli/terminal/progress.ts';

/** How fast long work goes and how long it takes, in words. */

const SECOND = 1000;
const state = { done: 100, total: 1000, things: 500, words: '' };

test.each<[elapsed: number, change: Partial<typeof state> | { total: undefined }, words: string]>([
  [0.5 * SECOND, {}, ''],
  [10 * SECOND, {}, ', 50 a second, about 90 s left'],
  [1 * SECOND, { done: 999 }, ', 500 a second, about 1 s left'],
  [60 * SECOND, {}, ', 8 a second, about 9 minutes left'],
  [3600 * SECOND, {}, ', 0 a second, about 9 hours left'],
  [10 * SECOND, { done: 0 }, ''],
  [10 * SECOND, { done: 1000 }, ', 50 a second'],
  [10 * SECOND, { total: undefined }, ', 50 a second'],
])('after %d ms with %j it is “%s”', (elapsed, change, words) => {
  const { total, ...rest } = { ...state, ...change };
  expect(paceWords({ ...rest, ...(total !== undefined && { total }) }, elapsed)).toBe(words);
});
