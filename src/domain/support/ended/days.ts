import { DateTime, IANAZone } from 'luxon';

/** The days for which support can list the ended connections: pure functions of a moment and a time zone. */

/** The number of listed days, today included. */
export const DAYS_LISTED = 30;

/** One day of one time zone. */
export interface ListedDay {
  /** `YYYY-MM-DD`. */
  day: string;
  /** An IANA name. */
  zone: string;
  /** The first moments of this day and of the next day, in Unix milliseconds: 23 to 25 hours apart. */
  from: number;
  to: number;
}

/** Why a day is not listed. */
export type DayProblem = 'no-such-day' | 'too-old' | 'ahead' | 'no-such-zone';

/** Whether a text names a time zone. */
export function isZone(name: string): boolean {
  return IANAZone.isValidZone(name);
}

function spanOf(start: DateTime, zone: string): ListedDay {
  const next = start.plus({ days: 1 }).startOf('day');
  return { day: start.toISODate() ?? '', zone, from: start.toMillis(), to: next.toMillis() };
}

const startOfToday = (now: number, zone: string) => DateTime.fromMillis(now, { zone }).startOf('day');

/** The day in which a moment lies. */
export function todayIn(zone: string, now: number): ListedDay {
  return spanOf(startOfToday(now, zone), zone);
}

/** All listed days, the newest first. */
export function daysListed(zone: string, now: number): string[] {
  const today = startOfToday(now, zone);
  return Array.from({ length: DAYS_LISTED }, (_, ago) => today.minus({ days: ago }).toISODate() ?? '');
}

/** The same day in a time zone, or else the nearest day that is listed there. */
export function nearestListed(day: string, { zone, now }: { zone: string; now: number }): string {
  const days = daysListed(zone, now);
  const [newest = day, oldest = day] = [days[0], days.at(-1)];
  if (day > newest) return newest;
  return day < oldest ? oldest : day;
}

/** The requested day; today where no day is requested. */
export function listedDay(
  { day, zone }: { day: string | undefined; zone: string },
  now: number,
): ListedDay | DayProblem {
  if (!isZone(zone)) return 'no-such-zone';
  if (day === undefined) return todayIn(zone, now);
  const start = DateTime.fromFormat(day, 'yyyy-MM-dd', { zone }).startOf('day');
  if (!start.isValid) return 'no-such-day';
  const today = startOfToday(now, zone);
  if (start > today) return 'ahead';
  // A day may begin at one o'clock, and the oldest listed day at midnight.
  const oldest = today.minus({ days: DAYS_LISTED - 1 }).startOf('day');
  return start < oldest ? 'too-old' : spanOf(start, zone);
}
