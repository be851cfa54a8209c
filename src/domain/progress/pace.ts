import { type DailyFall, PACE_DAYS } from './daily-falls.ts';

/** The pace of the last two weeks, and how even it is (docs/dates-and-reminders.md#the-forecast). */

export const WEEK = 7;

export interface TokenPace {
  /** By how many the waiting tokens fell in the last two weeks. */
  fell: number;
  /** The fall that is expected on each of the next seven days, by the same weekdays of the last two weeks. */
  week: readonly number[];
  /** The variance of the fall in two weeks. */
  variance: number;
  /** The earlier and the later half of the known whole weeks; each half has so many `days`. */
  halves: { days: number; earlier: HalfOfWeeks; later: HalfOfWeeks };
}

interface HalfOfWeeks {
  fell: number;
  /** The mean number of tokens that waited. */
  waiting: number;
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);
const meanOf = (numbers: readonly number[]) => (numbers.length === 0 ? 0 : sumOf(numbers) / numbers.length);

/** The falls, where a day that is left out has the fall of the same weekday a week earlier or later. */
function filledIn(falls: readonly DailyFall[]): number[] {
  const usual = meanOf(falls.filter(({ isLeftOut }) => !isLeftOut).map(({ fell }) => fell));
  return falls.map((fall, index) => {
    const sameWeekday = [fall, falls[index - WEEK], falls[index + WEEK]];
    return sameWeekday.find((one) => one && !one.isLeftOut)?.fell ?? usual;
  });
}

/**
 * The variance of the fall in two weeks. A day is compared with the same weekday a week before, so a weekly rhythm does
 * not count as chance. Single tokens that come by chance give at least the first of these numbers. Bursts of several
 * days show in the sums of weeks; four weeks are needed to see these.
 */
function varianceOf(falls: readonly number[]): number {
  const single = sumOf(falls.slice(-PACE_DAYS).map((fall) => Math.abs(fall)));
  const byDay = PACE_DAYS * halfMeanSquare(stepsOf(falls, WEEK));
  const weeks = wholeWeeks(falls);
  const byWeek = weeks.length < 4 ? 0 : 2 * halfMeanSquare(stepsOf(weeks, 1));
  return Math.max(single, byDay, byWeek);
}

const stepsOf = (numbers: readonly number[], apart: number) =>
  numbers.slice(apart).map((number, index) => number - (numbers[index] ?? 0));

const halfMeanSquare = (steps: readonly number[]) => meanOf(steps.map((step) => step * step)) / 2;

/** The sums of the whole weeks up to the last day, the earliest week first. */
function wholeWeeks(falls: readonly number[]): number[] {
  const count = Math.floor(falls.length / WEEK);
  const known = falls.slice(falls.length - count * WEEK);
  return Array.from({ length: count }, (_, week) => sumOf(known.slice(week * WEEK, (week + 1) * WEEK)));
}

/**
 * How many tokens waited at the end of each day, where `waiting` tokens wait after the last day. What was added once
 * counts as if it had always waited.
 */
function levelsBefore(falls: readonly number[], waiting: number): number[] {
  let level = waiting;
  return falls
    .toReversed()
    .map((fell) => {
      const end = level;
      level += fell;
      return end;
    })
    .toReversed();
}

function halvesOf(falls: readonly number[], waiting: number): TokenPace['halves'] {
  const days = Math.floor(falls.length / (2 * WEEK)) * WEEK;
  const levels = levelsBefore(falls, waiting);
  const half = (from: number, to: number | undefined): HalfOfWeeks => ({
    fell: sumOf(falls.slice(from, to)),
    waiting: meanOf(levels.slice(from, to)),
  });
  return { days, earlier: half(-2 * days, -days), later: half(-days, undefined) };
}

/** The pace of these whole days, at least two weeks, after which `waiting` tokens wait. */
export function paceOf(days: readonly DailyFall[], waiting: number): TokenPace {
  const falls = filledIn(days);
  const lately = falls.slice(-PACE_DAYS);
  return {
    fell: sumOf(lately),
    week: lately.slice(0, WEEK).map((fall, weekday) => (fall + (lately[weekday + WEEK] ?? 0)) / 2),
    variance: varianceOf(falls),
    halves: halvesOf(falls, waiting),
  };
}
