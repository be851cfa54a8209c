import { type GrantLife, hadNoGrant } from './grants-database.ts';

/** Whether the token of a call could be refused, because the grant behind it had ended. */

const life = (from: number, until?: number, cause = 'lost'): GrantLife => ({
  state: until === undefined ? 'ready' : 'dead',
  presented_at: null,
  created_at: String(from),
  dead_at: until === undefined ? null : String(until),
  dead_cause: until === undefined ? null : cause,
});

const call = { startedAt: 100_000, endedAt: 100_500 };

test.each<[string, GrantLife[], boolean]>([
  ['one grant lives', [life(10_000)], false],
  ['the only one ended before', [life(10_000, 90_000)], true],
  ['it ended during the call', [life(10_000, 100_200)], true],
  ['it ended after the call', [life(10_000, 100_600)], false],
  ['the app was connected anew long before', [life(10_000, 80_000), life(90_000)], false],
  ['the app was connected anew during the call', [life(10_000, 90_000), life(100_300)], true],
  ['the new grant may not have been seen yet', [life(10_000, 90_000), life(99_700)], true],
  [
    'one ended long ago, and a new one took the place of the next',
    [life(10_000, 20_000), life(30_000, 99_900, 'replaced'), life(99_900)],
    false,
  ],
  ['a new one took its place', [life(10_000, 100_200, 'replaced'), life(100_200)], false],
])('%s', (_what, rows, isRefused) => {
  expect(hadNoGrant(rows, call)).toBe(isRefused);
});
