import { type BudgetWindow, budgetOf, LONGEST_WINDOW } from '../../src/upstream/rate-budget.ts';

/** What the headers of an answer say of the budget, window by window. */

const heard = (ratelimit?: string, policy?: string) =>
  budgetOf({
    status: 200,
    headers: {
      ...(ratelimit !== undefined && { ratelimit }),
      ...(policy !== undefined && { 'ratelimit-policy': policy }),
    },
    body: '',
  });

const windowOf = (limit: number, left: number, seconds: number, validMs: number): BudgetWindow => ({
  limit,
  left,
  seconds,
  validMs,
});

// The first test of this file: no policy is known yet.
test('without a policy the limit stands in the name, and the length is not known', () => {
  expect(heard('"100-in-15min";r=40;t=897')).toEqual({
    share: 0.4,
    left: 40,
    validMs: 897_000,
    waitMs: 0,
    windows: [],
  });
});

test('a window has its limit and length from the policy', () => {
  const budget = {
    share: 0.4,
    left: 40,
    validMs: 10_000,
    waitMs: 0,
    windows: [windowOf(100, 40, 60, 10_000)],
  };
  expect(heard('"w";r=40;t=10', '"w";q=100;w=60')).toEqual(budget);
  expect(heard('w;r=40;t=10', '"w";q=100;w=60')).toEqual(budget);
  // A parameter that is no number says nothing, as the name of the partition.
  expect(heard('"w";r=40;t=10;x=?1', '"w";q=100;w=60;pk=:YWJj:')).toEqual(budget);
});

test('a policy that changes counts at once, and is read anew where it comes back', () => {
  const limits = ['"w";q=100;w=60', '"w";q=200;w=60', undefined, '"w";q=100;w=60'].map(
    (policy) => heard('"w";r=40', policy)?.windows[0]?.limit,
  );
  expect(limits).toEqual([100, 200, undefined, 100]);
});

test.each<[string, string | undefined, string | undefined]>([
  ['no header', undefined, undefined],
  ['a header that cannot be read', '"w', '"w";q=100;w=60'],
  ['a policy that cannot be read', '"w";r=40', '"w'],
  ['no rest', '"w";t=10', '"w";q=100;w=60'],
  ['a rest that is no number', '"w";r="40"', '"w";q=100;w=60'],
  ['no limit', '"w";r=40', '"w";w=60'],
  ['a limit of nothing', '"w";r=40', '"w";q=0;w=60'],
  ['a limit below nothing', '"w";r=40', '"w";q=-100;w=60'],
])('%s says nothing of the budget', (_what, ratelimit, policy) => {
  expect(heard(ratelimit, policy)).toBeUndefined();
});

const MONTH = LONGEST_WINDOW / 1000;

test.each([
  ['t=0.25', ';w=60', 250],
  ['t=60', ';w=60', 60_000],
  ['t=61', ';w=60', 60_000],
  ['t=1793541600', ';w=60', 60_000],
  ['t=1793541600', '', LONGEST_WINDOW],
  ['t=61', ';w=0', 61_000],
  ['t=1793541600', ';w=0', LONGEST_WINDOW],
  [`t=${2 * MONTH}`, `;w=${2 * MONTH}`, LONGEST_WINDOW],
  ['x', ';w=60', 0],
])('a window with %s%s opens again after %d ms', (reset, length, validMs) => {
  expect(heard(`"w";r=40;${reset}`, `"w";q=100${length}`)?.validMs).toBe(validMs);
});

test('a window without a length is not one of the windows', () => {
  expect(heard('"w";r=40', '"w";q=100;w=0')?.windows).toEqual([]);
  expect(heard('"w";r=40', '"w";q=100;w=-60')?.windows).toEqual([]);
  expect(heard('"w";r=40', '"w";q=100;w=1')?.windows).toEqual([windowOf(100, 40, 1, 0)]);
});

test('the tightest window gives share, rest and time; a larger rest than the limit is the whole budget', () => {
  const policy = '"a";q=100;w=60, "b";q=1000;w=3600';
  expect(heard('"a";r=200;t=10, "b";r=300;t=20', policy)).toEqual({
    share: 0.3,
    left: 300,
    validMs: 20_000,
    waitMs: 0,
    windows: [windowOf(100, 200, 60, 10_000), windowOf(1000, 300, 3600, 20_000)],
  });
  expect(heard('"a";r=200;t=10, "b";r=2000;t=20', policy)?.share).toBe(1);
});

test('the wait is that of the last spent window to open again', () => {
  const policy = '"a";q=100;w=60, "b";q=1000;w=3600, "c";q=10;w=86400';
  expect(heard('"a";r=0;t=20, "b";r=-1;t=10, "c";r=1;t=30', policy)?.waitMs).toBe(20_000);
  expect(heard('"a";r=0;t=5, "b";r=-1;t=10, "c";r=1;t=30', policy)?.waitMs).toBe(10_000);
  expect(heard('"a";r=1;t=20', policy)?.waitMs).toBe(0);
});
