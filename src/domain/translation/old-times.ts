import { DateTime } from 'luxon';
import { DAY } from '../../shared/lifetimes.ts';

/** Times in the form of the old API: whole seconds, and words in the time zone of the profile. */

/** Unix seconds of an ISO 8601 time; undefined for no time. */
export function secondsOf(iso: string | null | undefined): number | undefined {
  const time = Date.parse(iso ?? '');
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}

const ENDINGS: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' };
const ordinals = new Intl.PluralRules('en', { type: 'ordinal' });

const ordinal = (number: number) => `${number}${ENDINGS[ordinals.select(number)] ?? 'th'}`;

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** The number of a day in the calendar of its zone. The next day has the next number, however long a day is. */
const dayNumber = ({ year, month, day }: DateTime) => Math.round(Date.UTC(year, month - 1, day) / DAY);

/** In the recorded answers, two days have the names `Today` and `Tomorrow`, and every other day has a date. */
function dayWords(due: DateTime, now: DateTime): string {
  const days = dayNumber(due) - dayNumber(now);
  if (days === 0) return 'Today';
  if (days === 1) return 'Tomorrow';
  return `${WEEKDAYS[due.weekday - 1]} ${ordinal(due.day)} ${MONTHS[due.month - 1]}`;
}

/** For example `6:13 am`. */
function timeWords({ hour, minute }: DateTime): string {
  return `${hour % 12 || 12}:${String(minute).padStart(2, '0')} ${hour < 12 ? 'am' : 'pm'}`;
}

export interface DueWords {
  /** `Today`, `Tomorrow`, or for example `Thursday 3rd March`. */
  day: string;
  /** For example `6:13 am`. */
  due_time: string;
}

/** A due time (Unix seconds) in the words of people in a time zone; undefined in an unknown time zone. */
export function dueWords(due: number, { zone, now }: { zone: string; now: number }): DueWords | undefined {
  const local = DateTime.fromSeconds(due, { zone });
  if (!local.isValid) return undefined;
  return { day: dayWords(local, DateTime.fromMillis(now, { zone })), due_time: timeWords(local) };
}

/**
 * The day in a time zone to which a moment belongs, in Unix milliseconds: from `begins` to before `ends` the words for days
 * stay the same. In an unknown time zone there are no words, and so no end. A day may begin at one o'clock, where the clocks
 * are put forward at midnight.
 */
export function dayIn(zone: string, now: number): { begins: number; ends: number } {
  const day = DateTime.fromMillis(now, { zone }).startOf('day');
  if (!day.isValid) return { begins: 0, ends: Number.MAX_SAFE_INTEGER };
  return { begins: day.toMillis(), ends: day.plus({ days: 1 }).startOf('day').toMillis() };
}
