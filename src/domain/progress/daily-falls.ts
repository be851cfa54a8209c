import { DAY } from '../../shared/lifetimes.ts';
import { dayOf } from '../../shared/moments.ts';
import type { ProgressDay } from './progress-of.ts';

/** How much the number of waiting tokens fell on each day, and which days are no part of a pace. */

/** The days over which a pace is taken: whole weeks, so that each weekday counts the same. */
export const PACE_DAYS = 14;

/** So many days tell how even the pace is. */
const DAYS_KNOWN = 56;

/** The progress of so many days is read for a forecast: the known days, the day before them, and today. */
export const FORECAST_DAYS = DAYS_KNOWN + 2;

export interface DailyFall {
  day: string;
  /** How many fewer tokens waited than on the day before; negative on a day with more. */
  fell: number;
  /** How many more tokens were connected or moved than on the day before. */
  connected: number;
  /** Whether the day is left out of the pace, because its change happened once. */
  isLeftOut: boolean;
}

const doneOf = ({ mapped, migrated }: ProgressDay) => mapped + migrated;

const dayBefore = (day: string, ago: number) => dayOf(Date.parse(day) - ago * DAY);

/**
 * The change of each day against the day before. The tokens are counted once an hour; the change over days on which
 * nobody counted is spread evenly over these days.
 */
export function dailyFalls(days: readonly ProgressDay[], isCounted: (day: string) => boolean): DailyFall[] {
  const falls: DailyFall[] = [];
  let before = days[0];
  let length = 0;
  for (const now of days.slice(1)) {
    length += 1;
    if (!before || !isCounted(now.day)) continue;
    const fell = (before.waiting - now.waiting) / length;
    const connected = (doneOf(now) - doneOf(before)) / length;
    for (let ago = length - 1; ago >= 0; ago--)
      falls.push({ day: dayBefore(now.day, ago), fell, connected, isLeftOut: false });
    [before, length] = [now, 0];
  }
  return falls;
}

/** A change so many times as great as the change of three days in four stands out. */
const STANDS_OUT = 5;

/** A smaller change never stands out. */
const SMALLEST_STEP = 5;

/** Days that stand out and are no further apart belong to one event, such as an import in several files. */
const SAME_EVENT = 2;
const LONGEST_EVENT = 3;

/** Events that come more often are a part of the pace. */
const EVENTS_MAX = 2;

/** The change that three days in four do not exceed. */
function usualChange(falls: readonly DailyFall[]): number {
  const sizes = falls.map(({ fell }) => Math.abs(fell)).toSorted((one, other) => one - other);
  return sizes[Math.ceil(0.75 * sizes.length) - 1] ?? 0;
}

/**
 * Whether a change can be a single event. Tokens are added by an import, or stop together. Many tokens that are
 * connected on one day are a part of the pace; many that are revoked on one day, or go with a retired app, are not.
 */
const mayBeEvent = ({ fell, connected }: DailyFall) => fell < 0 || connected < fell / 2;

function eventsOf(falls: readonly DailyFall[]): number[][] {
  const least = Math.max(SMALLEST_STEP, STANDS_OUT * usualChange(falls));
  const events: number[][] = [];
  for (const [index, fall] of falls.entries()) {
    if (Math.abs(fall.fell) < least || !mayBeEvent(fall)) continue;
    const last = events.at(-1);
    if (last && index - (last.at(-1) ?? 0) <= SAME_EVENT) last.push(index);
    else events.push([index]);
  }
  return events;
}

/** Marks the days of changes that happened once, such as an import. */
export function markEvents(falls: readonly DailyFall[]): DailyFall[] {
  const events = eventsOf(falls);
  const isRare = events.length <= EVENTS_MAX && events.every(({ length }) => length <= LONGEST_EVENT);
  const left = new Set(isRare ? events.flat() : []);
  return falls.map((fall, index) => ({ ...fall, isLeftOut: left.has(index) }));
}
