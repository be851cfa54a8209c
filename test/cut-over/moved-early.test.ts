import { isCutOver, isMovedEarly, placeOfPair } from '../../src/domain/cut-over/moved-early.ts';

/** Which pairs a cut-over moves. */

const PAIRS = Array.from({ length: 10_000 }, (_, number) => ({
  clientId: `app ${number % 7}`,
  accountId: `account ${number}`,
}));

test('the place of a pair is the same in every version and on every machine', () => {
  expect(placeOfPair({ clientId: 'app', accountId: 'account' })).toBe(9852);
  expect(placeOfPair({ clientId: 'app', accountId: 'account 2' })).not.toBe(9852);
  expect(placeOfPair({ clientId: 'app 2', accountId: 'account' })).not.toBe(9852);
});

test('0 moves nobody, 100 everybody, and a higher percentage moves no pair back', () => {
  for (const pair of PAIRS.slice(0, 500)) {
    const moved = Array.from({ length: 101 }, (_, percent) => isMovedEarly(pair, percent));
    expect([moved[0], moved[100]]).toEqual([false, true]);
    expect(moved.indexOf(true)).toBe(moved.lastIndexOf(false) + 1);
  }
});

test.each([1, 30, 50, 99])('%s percent moves about as many pairs of a hundred', (percent) => {
  const moved = PAIRS.filter((pair) => isMovedEarly(pair, percent)).length;
  expect(Math.abs(moved / PAIRS.length - percent / 100)).toBeLessThan(0.02);
});

const TOKEN = {
  client_id: 'app',
  account_id: 'account',
  cut_over_percent: 100,
  app_source: 'imported',
  source: 'imported',
  app_proven: 0,
} as const;

test.each([
  ['an imported token', {}, true],
  ['a token seen in use whose app is proven', { source: 'observed', app_proven: 1 }, true],
  ['a token seen in use whose app is only claimed', { source: 'observed' }, false],
  ['a token of an unidentified program', { app_source: 'observed' }, false],
  ['a token whose account nobody knows', { account_id: null }, false],
  ['a token of an app that is not cut over', { cut_over_percent: 0 }, false],
] as const)('%s', (_what, changes, expected) => {
  expect(isCutOver({ ...TOKEN, ...changes })).toBe(expected);
});
