import { PACE_DAYS } from './daily-falls.ts';
import type { TokenPace } from './pace.ts';

/**
 * Between how many days the last token may be connected (docs/dates-and-reminders.md#the-forecast). Nine of ten such
 * ranges hold the true day, where the pace goes on as it was.
 */

/** One number in twenty of a normal distribution is further out, on each side. */
export const FAR_OUT = 1.645;

/** Whether the pace may fall as fewer tokens are left: the known weeks rule that out, allow it, or show more than that. */
export type SlowdownEvidence = 'ruled_out' | 'possible' | 'seen';

/** Days from now. Undefined where no day can be told. */
interface DaysAhead {
  earliest: number;
  /** The end of the range where the pace lasts. */
  latest: number | undefined;
  slowing: SlowdownEvidence;
  /** The end of the range where the pace falls as fewer tokens are left. */
  latestIfSlowing: number | undefined;
}

/** A quantile of the gamma distribution of this shape (Wilson and Hilferty), by that of the normal distribution. */
function gammaQuantile(shape: number, normal: number): number {
  const root = 1 - 1 / (9 * shape) + normal / (3 * Math.sqrt(shape));
  return shape * Math.max(0, root) ** 3;
}

/**
 * The least and the greatest pace, as a multiple of the pace that was seen: the confidence interval of a count with the
 * same relative variance. Chance on the days ahead, until `waiting` tokens are gone, counts too.
 */
function paceFactors({ fell, variance }: TokenPace, waiting: number): { least: number; greatest: number } {
  const relative = variance / fell ** 2 + variance / (fell * waiting);
  const shape = 1 / relative;
  return {
    least: gammaQuantile(shape, -FAR_OUT) / shape,
    greatest: gammaQuantile(shape + 1, FAR_OUT) / shape,
  };
}

type Comparison = 'rises' | 'same' | 'falls';

const comparedBy = (deviations: number): Comparison => {
  if (Math.abs(deviations) < FAR_OUT) return 'same';
  return deviations > 0 ? 'rises' : 'falls';
};

const varianceOfHalf = ({ variance, halves }: TokenPace) => (variance * halves.days) / PACE_DAYS;

/** Whether the later half of the known weeks fell by more or fewer tokens than the earlier half. */
export function trendOf(pace: TokenPace): Comparison {
  const { earlier, later } = pace.halves;
  return comparedBy((later.fell - earlier.fell) / Math.sqrt(2 * varianceOfHalf(pace)));
}

/** Whether the share of the waiting tokens that is connected each day rose or fell. */
function trendOfShare(pace: TokenPace): Comparison {
  const { earlier, later } = pace.halves;
  if (earlier.fell <= 0) return 'same';
  if (later.fell <= 0) return 'falls';
  const ratio = later.fell / later.waiting / (earlier.fell / earlier.waiting);
  const variance = varianceOfHalf(pace) * (1 / later.fell ** 2 + 1 / earlier.fell ** 2);
  return comparedBy(Math.log(ratio) / Math.sqrt(variance));
}

/** The 95 % quantile of the last of many exponential lives, in mean lives, is `ln n` and this. */
const LAST_OF_MANY = 2.97;

/** When the last token is connected where each day the same share of those that wait is. */
function daysBySameShare({ fell }: TokenPace, waiting: number, factor: number): number {
  const share = (Math.log((waiting + fell) / waiting) / PACE_DAYS) * factor;
  return (Math.log(waiting) + LAST_OF_MANY) / share;
}

/**
 * When the last token is connected at the earliest where the pace goes on rising as it rose from the earlier half to the
 * later, or a little faster.
 */
function daysByRisingPace(pace: TokenPace, waiting: number, factor: number): number {
  const { fell, halves } = pace;
  const chance = FAR_OUT * Math.sqrt(2 * varianceOfHalf(pace));
  const rise = (halves.later.fell - halves.earlier.fell + chance) / halves.days ** 2;
  const now = (fell / PACE_DAYS) * factor + (rise * PACE_DAYS) / 2;
  return (Math.sqrt(now ** 2 + 2 * rise * waiting) - now) / rise;
}

function slowingOf(pace: TokenPace): SlowdownEvidence {
  const ofShare = trendOfShare(pace);
  if (ofShare === 'falls') return 'seen';
  return ofShare === 'same' || trendOf(pace) === 'falls' ? 'possible' : 'ruled_out';
}

/** The range of a falling pace. A day that is more than `daysMax` ahead is no day to tell. */
export function daysAhead(pace: TokenPace, waiting: number, daysMax: number): DaysAhead {
  const { least, greatest } = paceFactors(pace, waiting);
  const bySamePace = waiting / (pace.fell / PACE_DAYS);
  const early = bySamePace / greatest;
  const byRise = trendOf(pace) === 'rises' ? daysByRisingPace(pace, waiting, greatest) : early;
  const slowing = slowingOf(pace);
  const bounded = (days: number) => (days <= daysMax ? days : undefined);
  return {
    earliest: Math.min(early, byRise),
    latest: bounded(bySamePace / least),
    slowing,
    latestIfSlowing: slowing === 'possible' ? bounded(daysBySameShare(pace, waiting, least)) : undefined,
  };
}
