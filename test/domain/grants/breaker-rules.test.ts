import {
  belongsToStop,
  changeOfClaim,
  dueChange,
  hasDateAhead,
  hasDoubtAhead,
  nextTurn,
  type OpenTurn,
  proofChange,
} from '../../../src/domain/grants/refresh/stop/breaker-rules.ts';
import {
  ACCOUNTS_COUNTED,
  areManySpent,
  goodCountedUpTo,
  stopsRefreshing,
} from '../../../src/domain/grants/death-rules.ts';
import type { BreakerView } from '../../../src/store/grants/refresh-breaker.ts';

/** How many refresh tokens may be presented while answers are lost, and how many deaths stop all refreshing. */

const NOW = 10_000_000;
const MINUTE = 60_000;

const calm: BreakerView = {
  turn: 7,
  goodAt: NOW - 1000,
  goodLately: 5,
  since: NOW - 900_000,
  trippedAt: null,
  nextAt: 0,
  pause: 0,
  deathsUntil: 0,
  doubts: 0,
  flying: 0,
  flyingSince: null,
  lastDoubt: null,
};

const tripped = {
  ...calm,
  goodAt: 0,
  goodLately: 0,
  trippedAt: NOW - 30_000,
  nextAt: NOW + 30_000,
  pause: MINUTE,
};

const TURNS: Array<[name: string, view: Partial<BreakerView>, kind: string]> = [
  ['nothing was lost', {}, 'free'],
  ['many are under way and answers come', { flying: 32, flyingSince: NOW - 2900 }, 'free'],
  ['no answer came lately', { goodAt: 0, goodLately: 0 }, 'few'],
  ['few came lately', { goodLately: 4 }, 'few'],
  ['few came lately and four are under way', { goodLately: 4, flying: 4, flyingSince: NOW }, 'few'],
  ['few came lately and five are under way', { goodLately: 4, flying: 5, flyingSince: NOW }, 'wait'],
  ['few came lately and one is late', { goodLately: 4, flying: 1, flyingSince: NOW - 3000 }, 'counted'],
  ['one is late', { flying: 1, flyingSince: NOW - 3000 }, 'counted'],
  ['one is late among five', { flying: 5, flyingSince: NOW - 3000 }, 'wait'],
  ['one answer was lost', { doubts: 1 }, 'counted'],
  ['one was lost and three are under way', { doubts: 1, flying: 3, flyingSince: NOW }, 'counted'],
  ['one was lost and four are under way', { doubts: 1, flying: 4, flyingSince: NOW }, 'wait'],
  ['four were lost', { doubts: 4 }, 'counted'],
  ['five were lost and nobody has tripped the breaker yet', { doubts: 5 }, 'wait'],
  ['it has tripped', tripped, 'stopped'],
  ['it has tripped and the pause is over', { ...tripped, nextAt: NOW }, 'probe'],
  ['its pause was written by a clock that was wrong', { ...tripped, nextAt: NOW + 6 * MINUTE }, 'probe'],
  [
    'its pause was written by a clock that is a little ahead',
    { ...tripped, nextAt: NOW + 5 * MINUTE + 1000 },
    'stopped',
  ],
  ['many died', { deathsUntil: NOW + 1 }, 'stopped'],
  ['a clock that is a little ahead says that many died', { deathsUntil: NOW + 5 * MINUTE + 900 }, 'stopped'],
  ['many died five minutes ago', { deathsUntil: NOW }, 'free'],
  ['a wrong clock says that many died', { deathsUntil: NOW + 6 * MINUTE }, 'free'],
];

test.each(TURNS)('%s', (_name, view, kind) => {
  expect(nextTurn({ ...calm, ...view }, NOW).kind).toBe(kind);
});

test('what is free goes by what was seen of the breaker', () => {
  const { turn, goodAt, since } = calm;
  expect(nextTurn(calm, NOW)).toEqual({ kind: 'free', breaker: { turn, goodAt, since } });
});

const free: OpenTurn = { kind: 'free', breaker: { turn: 7, goodAt: NOW, since: 0 } };
const tryAgain: OpenTurn = { kind: 'probe', seen: 7, change: {} };
const oneOfFew: OpenTurn = { kind: 'few', seen: 7 };
const oneCounted: OpenTurn = { kind: 'counted', seen: 7 };

/** Many deaths stopped refreshing a moment after the claim had begun. */
const stoppedSince = { turn: 8, deathsUntil: NOW + 5 * MINUTE + 1700 };

const CLAIMS: Array<[name: string, given: OpenTurn, view: Partial<BreakerView>, isMade: boolean]> = [
  ['one without limit', free, {}, true],
  ['one without limit while few answers came lately', free, { goodLately: 0 }, true],
  ['one without limit that began before an answer was lost', free, { doubts: 1 }, false],
  ['one without limit that began before a turn', free, { turn: 8 }, false],
  ['one of a few', oneOfFew, { goodLately: 0 }, true],
  ['one of a few that finds five under way', oneOfFew, { goodLately: 0, flying: 5 }, false],
  ['one of a few after which all may go', oneOfFew, {}, true],
  ['one of a few after which an answer was lost', oneOfFew, { doubts: 1 }, false],
  ['one that is counted while an answer is lost', oneCounted, { doubts: 1 }, true],
  ['one that was counted while one was lost', oneCounted, { goodLately: 1 }, true],
  ['one that is counted and finds five lost', oneCounted, { doubts: 5 }, false],
  ['one that is counted and finds it tripped', oneCounted, { ...tripped, nextAt: NOW }, false],
  ['one of a few that began before a stop', oneOfFew, { goodLately: 0, ...stoppedSince }, false],
  ['one that is counted and began before a stop', oneCounted, { doubts: 1, ...stoppedSince }, false],
  ['one of a few that began before a turn', oneOfFew, { goodLately: 0, turn: 8 }, false],
  ['one that is counted and began before a turn', oneCounted, { doubts: 1, turn: 8 }, false],
  ['the one that tries again', tryAgain, { ...tripped, nextAt: NOW }, true],
  ['one that tries again beside another', tryAgain, { ...tripped, nextAt: NOW, turn: 8 }, false],
  ['one that would try again when all may pass', tryAgain, {}, false],
];

test.each(CLAIMS)('a claim is made or not: %s', (_name, given, view, isMade) => {
  expect(changeOfClaim(given, { ...calm, ...view }, NOW) !== undefined).toBe(isMade);
});

test('the pause after each lost answer doubles to five minutes, and is a minute again after a proof', () => {
  let view: BreakerView = { ...tripped, nextAt: NOW };
  const pauses: number[] = [];
  for (let probe = 0; probe < 4; probe += 1) {
    const turn = nextTurn(view, NOW);
    if (turn.kind !== 'probe') throw new Error(turn.kind);
    pauses.push((turn.change.next_at ?? 0) - NOW);
    view = { ...view, pause: turn.change.pause ?? 0 };
  }
  expect(pauses).toEqual([2, 4, 5, 5].map((minutes) => minutes * MINUTE));
  expect(proofChange(NOW)).toEqual({ next_at: NOW + MINUTE });
});

const CHANGES: Array<[name: string, view: Partial<BreakerView>, change: ReturnType<typeof dueChange>]> = [
  ['four lost answers change nothing', { doubts: 4 }, undefined],
  ['five trip it', { doubts: 5 }, { tripped_at: NOW, pause: MINUTE, next_at: NOW + MINUTE }],
  ['while it is tripped more of them change nothing', { ...tripped, doubts: 9 }, undefined],
  ['an older good answer changes nothing', { ...tripped, goodAt: NOW - 30_000 }, undefined],
  [
    'a later good one ends it',
    { ...tripped, goodAt: NOW - 29_999 },
    { tripped_at: null, pause: 0, next_at: 0 },
  ],
  ['a clock that is a little ahead tripped it', { ...tripped, trippedAt: NOW + 1000 }, undefined],
  ['a clock that is far ahead tripped it', { ...tripped, trippedAt: NOW + 60 * MINUTE }, { tripped_at: NOW }],
];

test.each(CHANGES)('%s', (_name, view, change) => {
  expect(dueChange({ ...calm, ...view }, NOW)).toEqual(change);
});

test('a lost answer has a date ahead where it is later than two clocks may differ', () => {
  const dates = [null, NOW, NOW + 1000, NOW + 1001];
  expect(dates.map((lastDoubt) => hasDoubtAhead({ ...calm, lastDoubt }, NOW))).toEqual([
    false,
    false,
    false,
    true,
  ]);
});

const AHEAD: Array<[what: string, view: Partial<BreakerView>, isAhead: boolean]> = [
  ['no date', {}, false],
  ['a lost answer of a second ahead', { lastDoubt: NOW + 1000 }, false],
  ['a later lost answer', { lastDoubt: NOW + 1001 }, true],
  ['a trip of a second ahead', { trippedAt: NOW + 1000 }, false],
  ['a later trip', { trippedAt: NOW + 1001 }, true],
  ['the end of the longest pause', { nextAt: NOW + 5 * MINUTE + 1000 }, false],
  ['a later attempt', { nextAt: NOW + 5 * MINUTE + 1001 }, true],
  ['the end of a stop after deaths', { deathsUntil: NOW + 5 * MINUTE + 1000 }, false],
  ['a later end of it', { deathsUntil: NOW + 5 * MINUTE + 1001 }, true],
];

test.each(AHEAD)('%s is one that only a wrong clock writes, or is not', (_what, view, isAhead) => {
  expect(hasDateAhead({ ...calm, ...view }, NOW)).toBe(isAhead);
});

const FIRST_PAUSE = { ...tripped, trippedAt: NOW, pause: MINUTE, nextAt: NOW + MINUTE, goodAt: NOW - 1000 };

const SILENCES: Array<
  [name: string, turn: number | undefined, at: number, view: BreakerView, counts: boolean]
> = [
  ['never seen', undefined, 0, FIRST_PAUSE, false],
  ['of this turn', 7, NOW - 5000, FIRST_PAUSE, true],
  ['while the answers were lost, after the last good one', 6, NOW - 999, FIRST_PAUSE, true],
  ['at the last good answer', 6, NOW - 1000, FIRST_PAUSE, false],
  ['that is older than lost answers count', 6, FIRST_PAUSE.since, { ...FIRST_PAUSE, goodAt: 0 }, false],
  ['of an earlier turn', 5, NOW - 999, FIRST_PAUSE, false],
  [
    'before an attempt in vain',
    6,
    NOW - 999,
    { ...FIRST_PAUSE, pause: 2 * MINUTE, nextAt: NOW + 2 * MINUTE },
    false,
  ],
  [
    'before an attempt that proved something',
    6,
    NOW - 999,
    { ...FIRST_PAUSE, nextAt: NOW + MINUTE + 1 },
    false,
  ],
  ['of this turn, before any stop', 7, NOW - 5000, { ...FIRST_PAUSE, trippedAt: null, nextAt: 0 }, false],
  ['before a stop that has ended', 6, NOW - 999, { ...FIRST_PAUSE, trippedAt: null, nextAt: 0 }, false],
];

test.each(SILENCES)('a silence %s shortens the stop or does not', (_name, turn, at, view, counts) => {
  expect(belongsToStop({ turn, at }, view)).toBe(counts);
});

const DEATHS: Array<[name: string, deaths: [accounts: number, good: number, live: number], stops: boolean]> =
  [
    ['ten accounts of a small fleet', [10, 0, 5], false],
    ['eleven accounts, half of a small fleet', [11, 0, 11], true],
    ['eleven accounts of thirty', [11, 0, 19], false],
    ['half of thirty', [15, 0, 15], true],
    ['twenty-four accounts of a hundred', [24, 0, 76], false],
    ['twenty-five of a hundred', [25, 0, 75], true],
    ['twenty-five of a hundred while three times as many are refreshed well', [25, 75, 75], true],
    ['twenty-five while more than that are refreshed well', [25, 76, 75], false],
    ['twenty-five of ten thousand', [25, 0, 9975], true],
    ['ninety-nine of a hundred thousand', [99, 0, 100_000], false],
    ['a hundred of a hundred thousand', [100, 0, 100_000], true],
    ['one person with hundreds of accounts in a fleet of a million', [900, 0, 1_000_000], false],
    ['a modern side that refuses a fleet of a million', [1000, 0, 1_000_000], true],
    ['what a fleet of a million loses beside its usual work', [1000, 12_000, 1_000_000], false],
  ];

test.each(DEATHS)('deaths of %s', (_name, [accounts, good, live], stops) => {
  expect(stopsRefreshing({ accounts, good, live })).toBe(stops);
  // What is counted only so far decides the same.
  const counted = { accounts, good: Math.min(good, goodCountedUpTo(accounts)), live };
  expect(stopsRefreshing(counted)).toBe(stops);
});

test('good answers are counted as far as they decide, and not at all where they do not', () => {
  expect([0, 10, 11, 12].map(goodCountedUpTo)).toEqual([0, 0, 34, 37]);
});

const SPENT: Array<[name: string, counts: [spent: number, fleet: number, before: number], stops: boolean]> = [
  ['the one account of a fleet', [1, 1, 1], false],
  ['one of two', [1, 2, 2], false],
  ['both of two', [2, 2, 2], true],
  ['one of three', [1, 3, 3], false],
  ['four of ten', [4, 10, 10], false],
  ['five of ten', [5, 10, 10], true],
  ['ten of eleven', [10, 11, 11], false],
  ['eleven of eleven', [11, 11, 11], true],
  ['five of the ten that are left of eleven', [5, 10, 11], false],
  ['fourteen of thirty', [14, 30, 30], false],
  ['half of thirty', [15, 30, 30], true],
  ['twenty-four of fifty or more', [24, 50, 50], false],
  ['twenty-five of fifty or more', [25, 50, 50], true],
];

test.each(SPENT)('accounts found spent after a take-over: %s', (_name, [accounts, fleet, before], stops) => {
  expect(areManySpent({ accounts, fleet, before })).toBe(stops);
  // What is counted only so far decides the same.
  const counted = { fleet: Math.min(fleet, ACCOUNTS_COUNTED), before: Math.min(before, ACCOUNTS_COUNTED) };
  expect(areManySpent({ accounts, ...counted })).toBe(stops);
});
