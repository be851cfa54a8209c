import type { FallingForecast } from '../../../src/domain/progress/forecast.ts';
import type { ProgressDay } from '../../../src/domain/progress/progress-of.ts';
import { byChance, forecastAt, indexOf, type Random, simulate, type Traffic } from './support/traffic.ts';

/** The forecast against simulated traffic of which the true day of the last token is known. */

type Connected = Traffic['connected'];

const even: Connected = () => 10;
const onWeekdays: Connected = ({ weekday }) => (weekday < 5 ? 14 : 1);
const byChanceOnWeekdays: Connected = ({ weekday, random }) => byChance(random, weekday < 5 ? 80 : 10);
const onceInFives: Connected = ({ random }) => 5 * byChance(random, 2);
const fallenToAThird: Connected = ({ index, random }) => byChance(random, index < 50 ? 40 : 15);
const dyingAway: Connected = ({ index, random }) => byChance(random, 60 * 0.96 ** index);
const rising: Connected = ({ index, random }) => byChance(random, 5 + index / 2);
const afterMails: Connected = ({ index, random }) => byChance(random, index % 30 < 3 ? 80 : 4);
const asManyAdded: Connected = ({ random }) => byChance(random, 10) - byChance(random, 10);
const addedWeekly: Connected = ({ weekday }) => (weekday === 0 ? -200 : 5);
const oneInTwoWeeks: Connected = ({ index }) => (index % 14 === 3 ? 1 : 0);
const about = (mean: number) => (day: { random: Random }) => byChance(day.random, mean);
const ofThoseThatWait =
  (share: number): Connected =>
  ({ random, waiting }) =>
    byChance(random, share * waiting);

function fallingAt(traffic: Traffic, index: number): { forecast: FallingForecast; zero: number } {
  const { days, zero } = simulate(traffic);
  const forecast = forecastAt(days, index);
  if (forecast.kind !== 'falling') throw new Error(`it is ${forecast.kind}`);
  return { forecast, zero };
}

/** The error of the told day, as a share of the days that lie ahead. */
function errorAt(traffic: Traffic, index: number): number {
  const { forecast, zero } = fallingAt(traffic, index);
  return Math.abs(indexOf(forecast.zeroDay) - zero) / (zero - index);
}

/**
 * Whether the true day lies in the range, the end of a falling pace included where the forecast names one. A forecast
 * without a date is never wrong.
 */
function isInRange(traffic: Traffic, index: number): boolean {
  const { days, zero } = simulate(traffic);
  const forecast = forecastAt(days, index);
  if (forecast.kind !== 'falling') return true;
  const { earliest, latest, slowing, latestIfSlowing } = forecast;
  const ends = [latest, slowing === 'ruled_out' ? latest : latestIfSlowing];
  const isEarlier = ends.some((day) => day === undefined || indexOf(day) >= zero) || slowing === 'seen';
  return indexOf(earliest) <= zero && isEarlier;
}

const SEEDS = Array.from({ length: 40 }, (_, index) => index + 1);
const shareOf = (holds: (seed: number) => boolean) => SEEDS.filter(holds).length / SEEDS.length;

/** In how many of the simulations, which differ by chance alone, the true day lies in the range. */
const shareInRange = (traffic: Traffic, index: number) =>
  shareOf((seed) => isInRange({ ...traffic, seed }, index));

const width = ({ earliest, latest = '2999-01-01' }: FallingForecast) => indexOf(latest) - indexOf(earliest);

describe('a pace that lasts', () => {
  const shapes: Array<[name: string, traffic: Traffic]> = [
    ['the same number every day', { waiting: 1000, connected: even }],
    ['a weekly rhythm', { waiting: 1000, connected: onWeekdays }],
    ['an import in the midst', { waiting: 1000, connected: even, imported: { 52: 400 } }],
    ['an import in two files', { waiting: 1000, connected: even, imported: { 50: 300, 52: 200 } }],
    ['an import on a weekly rhythm', { waiting: 1000, connected: onWeekdays, imported: { 55: 400 } }],
    ['an import on the day of the forecast', { waiting: 1000, connected: even, imported: { 60: 300 } }],
    ['revoked tokens every day', { waiting: 1000, connected: even, revoked: () => 2 }],
    ['many tokens revoked at once', { waiting: 1500, connected: even, revoked: onDay(54, 300) }],
  ];

  test.each(shapes)('the true day is within a tenth of the days ahead: %s', (_, traffic) => {
    for (const index of [60, 61, 62, 63, 64, 65, 66, 70])
      expect(errorAt(traffic, index)).toBeLessThanOrEqual(0.1);
    expect(isInRange(traffic, 62)).toBe(true);
  });

  test('the last days before the end are met too, over a weekend', () => {
    const { zero } = simulate({ waiting: 1000, connected: onWeekdays });
    for (const ahead of [1, 2, 3, 5, 8]) {
      const { forecast } = fallingAt({ waiting: 1000, connected: onWeekdays }, zero - ahead);
      expect([ahead, indexOf(forecast.zeroDay) - zero]).toEqual([ahead, 0]);
    }
  });

  const noisy: Array<[name: string, traffic: Traffic, atLeast: number]> = [
    ['sixty a day by chance', { waiting: 6000, connected: about(60) }, 0.9],
    ['eighty on weekdays, by chance', { waiting: 6000, connected: byChanceOnWeekdays }, 0.85],
    ['ten a day by chance', { waiting: 1200, connected: about(10) }, 0.6],
  ];

  test.each(noisy)(
    'with chance the true day is mostly within a tenth, and nearly always in the range: %s',
    (_, traffic, atLeast) => {
      const isNear = (seed: number) => errorAt({ ...traffic, seed }, 40) <= 0.1;
      expect(shareOf(isNear)).toBeGreaterThanOrEqual(atLeast);
      expect(shareInRange(traffic, 40)).toBeGreaterThanOrEqual(0.85);
    },
  );

  test('few tokens, and tokens that are connected five at a time, have a wide range that holds', () => {
    const inFives = { waiting: 1200, connected: onceInFives };
    for (const traffic of [{ waiting: 120, connected: about(1) }, inFives])
      expect(shareInRange(traffic, 45)).toBeGreaterThanOrEqual(0.85);
    const oneByOne = fallingAt({ waiting: 1200, connected: about(10) }, 45).forecast;
    expect(width(fallingAt(inFives, 45).forecast)).toBeGreaterThan(1.5 * width(oneByOne));
  });
});

describe('a pace that changes', () => {
  test('where the same share is connected each day, the range tells how late it becomes', () => {
    for (const share of [0.02, 0.005])
      for (const index of [20, 30, 60])
        expect(
          shareInRange({ waiting: 2000, connected: ofThoseThatWait(share) }, index),
        ).toBeGreaterThanOrEqual(0.85);
    const { forecast, zero } = fallingAt({ waiting: 2000, connected: ofThoseThatWait(0.02) }, 60);
    expect(forecast).toMatchObject({ slowing: 'possible', trend: 'falls' });
    expect(indexOf(forecast.zeroDay)).toBeLessThan(zero);
  });

  test('a pace that fell to a third ten days ago is told as falling, and the range holds', () => {
    const traffic = { waiting: 3000, connected: fallenToAThird };
    expect(shareInRange(traffic, 60)).toBeGreaterThanOrEqual(0.85);
    expect(fallingAt(traffic, 60).forecast).toMatchObject({ slowing: 'possible', trend: 'falls' });
  });

  test('a pace that dies away has no latest day', () => {
    const { days } = simulate({ waiting: 3000, connected: dyingAway, lasts: 60 });
    expect(forecastAt(days, 55)).toMatchObject({ kind: 'falling', slowing: 'seen', trend: 'falls' });
  });

  test('a pace that rises day by day makes the range begin early enough', () => {
    const traffic = { waiting: 3000, connected: rising };
    expect(shareInRange(traffic, 40)).toBeGreaterThanOrEqual(0.9);
    expect(fallingAt(traffic, 40).forecast.trend).toBe('rises');
  });

  test('mails that wake many for three days of thirty give no date that pretends to be exact', () => {
    for (const index of [63, 67, 70, 80]) {
      const forecast = forecastAt(simulate({ waiting: 3000, connected: afterMails }).days, index);
      if (forecast.kind !== 'falling') expect(forecast.kind).toBe('not_falling');
      else expect(isInRange({ waiting: 3000, connected: afterMails }, index)).toBe(true);
    }
  });
});

const lastingAt = (traffic: Traffic, index: number) => forecastAt(simulate(traffic).days, index);

describe('no date', () => {
  test('nothing is connected', () => {
    expect(lastingAt({ waiting: 100, connected: () => 0, lasts: 40 }, 30)).toMatchObject({
      kind: 'not_falling',
      fell: 0,
      waiting: 100,
    });
  });

  test('as many are added as are connected, day by day', () => {
    expect(lastingAt({ waiting: 500, connected: asManyAdded, lasts: 40 }, 35).kind).toBe('not_falling');
  });

  test('more are added than connected, also where they are added once a week', () => {
    for (const connected of [() => -4, addedWeekly])
      expect(lastingAt({ waiting: 500, connected, lasts: 60 }, 58).kind).toBe('rising');
  });

  test('one token in two weeks of very many', () => {
    expect(lastingAt({ waiting: 5000, connected: oneInTwoWeeks, lasts: 80 }, 70).kind).toBe('too_far');
  });

  test('less than two whole weeks are known; the day of the forecast is named, and it holds', () => {
    const { days } = simulate({ waiting: 1000, connected: even });
    for (const index of [0, 5, 14]) {
      const forecast = forecastAt(days, index);
      expect(forecast).toMatchObject({ kind: 'too_few_days', from: days[15]?.day });
    }
    expect(forecastAt(days, 15).kind).toBe('falling');
  });

  test('a first import that dwarfs what was there begins the two weeks anew', () => {
    const traffic = { waiting: 20, connected: () => 10, imported: { 30: 5000 }, lasts: 70, least: 20 };
    const { days } = simulate(traffic);
    expect(forecastAt(days, 40)).toMatchObject({
      kind: 'too_few_days',
      from: days[45]?.day,
      since: { day: days[30]?.day, rose: 4990 },
    });
    expect(forecastAt(days, 45)).toMatchObject({ kind: 'falling', fell: 140 });
  });

  test('none waits, or none was ever counted', () => {
    const { days, zero } = simulate({ waiting: 100, connected: even });
    expect(forecastAt(days, zero).kind).toBe('done');
    expect(forecastAt([], 5).kind).toBe('none');
    const none = { mapped: 0, waiting: 0, migrated: 0, revoked: 0 };
    expect(forecastAt([{ day: '2026-01-05', ...none }], 0).kind).toBe('none');
  });
});

/** The numbers as they are kept: a day without a count repeats the day before. */
const kept = (whole: readonly ProgressDay[], uncounted: readonly number[]) => {
  let last = whole[0];
  return whole.map((day, index) => {
    if (!uncounted.includes(index)) last = day;
    return { ...(last ?? day), day: day.day };
  });
};

describe('days on which nobody counted', () => {
  const { days, zero } = simulate({ waiting: 1000, connected: even });
  const at = (uncounted: readonly number[], index: number, whole: readonly ProgressDay[] = days) =>
    forecastAt(kept(whole, uncounted), index, (day) => !uncounted.includes(indexOf(day)));

  test('the change over them is spread, so that a gap at the edge of the two weeks is no burst', () => {
    for (const gap of [
      [40, 41, 42, 43, 44, 45, 46],
      [50, 51],
      [57, 58, 59],
    ])
      expect(at(gap, 60)).toMatchObject({ kind: 'falling', zeroDay: days[zero]?.day, fell: 140 });
  });

  test.each([[[51, 52]], [[52, 53, 54]], [[48, 49, 50, 51, 52, 53]]])(
    'an import while nobody counted, on days %j, is one change between two days and no pace',
    (gap) => {
      const { days: whole } = simulate({ waiting: 1000, connected: even, imported: { 52: 400 } });
      const [from, until] = [gap[0] ?? 0, (gap.at(-1) ?? 0) + 1];
      const rose = 400 - 10 * (gap.length + 1);
      expect(at(gap, 60, whole)).toMatchObject({
        kind: 'falling',
        fell: 140,
        leftOut: [{ from: whole[from]?.day, day: whole[until]?.day, rose }],
      });
    },
  );

  test('a count that stopped is not taken for a standstill', () => {
    expect(at([60], 60)).toMatchObject({ kind: 'falling', asOf: days[59]?.day });
    expect(at([59, 60], 60)).toEqual({ kind: 'count_is_old', asOf: days[58]?.day });
  });
});

test('a change that happened once is named; one that comes every week is a part of the pace', () => {
  const once = simulate({ waiting: 1000, connected: even, imported: { 52: 400 } });
  expect(forecastAt(once.days, 60)).toMatchObject({
    fell: 140,
    leftOut: [{ day: once.days[52]?.day, from: once.days[52]?.day, rose: 390 }],
  });
  const weekly = simulate({ waiting: 1000, connected: ({ weekday }) => (weekday === 2 ? -40 : 10) });
  expect(forecastAt(weekly.days, 60)).toMatchObject({ kind: 'falling', fell: 40, leftOut: [] });
});

test('whether all were connected is known', () => {
  const connected = { waiting: 1000, connected: even };
  expect(fallingAt(connected, 40).forecast.hasRevoked).toBe(false);
  const some = { ...connected, revoked: (index: number) => (index === 35 ? 1 : 0) };
  expect(fallingAt(some, 40).forecast.hasRevoked).toBe(true);
});

function onDay(day: number, count: number): (index: number) => number {
  return (index) => (index === day ? count : 0);
}
