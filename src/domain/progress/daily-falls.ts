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
  /** The days from the last count before to the next count after the day; one day where every day is counted. */
  between: { from: string; until: string };
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
    const between = { from: dayBefore(now.day, length - 1), until: now.day };
    for (let ago = length - 1; ago >= 0; ago--)
      falls.push({ day: dayBefore(now.day, ago), between, fell, connected, isLeftOut: false });
    [before, length] = [now, 0];
  }
  return falls;
}

/** A change so many times as great as the change of three days in four stands out. */
const STANDS_OUT = 5;

/** A smaller change never stands out. */
const SMALLEST_STEP = 5;

/** Changes that stand out and are no further apart belong to one event, such as an import in several files. */
const SAME_EVENT = 2;
const LONGEST_EVENT = 3;

/** Events that come more often are a part of the pace. */
const EVENTS_MAX = 2;

/** The change from one count to the next, over one day or several. */
interface CountedChange {
  /** The places of its days. */
  first: number;
  last: number;
  fell: number;
  connected: number;
}

const lengthOf = ({ first, last }: Pick<CountedChange, 'first' | 'last'>) => last - first + 1;

/** The changes from count to count. The days between two counts have one change, which happened on any of them. */
function changesOf(falls: readonly DailyFall[]): CountedChange[] {
  const changes: CountedChange[] = [];
  for (const [index, { day, between, fell, connected }] of falls.entries()) {
    const change = changes.at(-1);
    if (!change || day === between.from) changes.push({ first: index, last: index, fell, connected });
    else {
      change.last = index;
      change.fell += fell;
      change.connected += connected;
    }
  }
  return changes;
}

/** The change of a day that three days in four do not exceed. */
function usualChange(falls: readonly DailyFall[]): number {
  const sizes = falls.map(({ fell }) => Math.abs(fell)).toSorted((one, other) => one - other);
  return sizes[Math.ceil(0.75 * sizes.length) - 1] ?? 0;
}

/**
 * Whether a change can be a single event. Tokens are added by an import, or stop together. Many tokens that are
 * connected at once are a part of the pace; many that are revoked at once, or go with a retired app, are not.
 */
const mayBeEvent = ({ fell, connected }: CountedChange) => fell < 0 || connected < fell / 2;

function eventsOf(falls: readonly DailyFall[]): CountedChange[][] {
  const usual = usualChange(falls);
  const least = Math.max(SMALLEST_STEP, STANDS_OUT * usual);
  const events: CountedChange[][] = [];
  for (const change of changesOf(falls)) {
    // The other days of a longer change had their usual changes.
    const isGreat = Math.abs(change.fell) >= least + (lengthOf(change) - 1) * usual;
    if (!isGreat || !mayBeEvent(change)) continue;
    const before = events.at(-1)?.at(-1);
    if (before && change.first - before.last <= SAME_EVENT) events.at(-1)?.push(change);
    else events.push([change]);
  }
  return events;
}

/** Marks the days of changes that happened once, such as an import. */
export function markEvents(falls: readonly DailyFall[]): DailyFall[] {
  const events = eventsOf(falls);
  const isRare = events.length <= EVENTS_MAX && events.every(({ length }) => length <= LONGEST_EVENT);
  const left = isRare ? events.flat() : [];
  const isLeft = (index: number) => left.some(({ first, last }) => first <= index && index <= last);
  return falls.map((fall, index) => ({ ...fall, isLeftOut: isLeft(index) }));
}
