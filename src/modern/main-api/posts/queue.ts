import { DateTime } from 'luxon';
import { createRecent } from '../../recent.ts';
import type { DayOfWeek, ScheduleRecord } from '../directory.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
/** A custom time lies at most this far ahead, and nextFreeTimes searches this far. */
export const HORIZON_DAYS = 730;

const weekdays: DayOfWeek[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/** A day without a zone, written as noon in UTC. */
type CalendarDay = Date;

/**
 * The instant of HH:MM on a day in a zone. A time that the clocks skip moves later by the length of the skip. In an
 * hour that comes twice, the first time counts.
 */
function instantOf(noon: CalendarDay, zone: string, time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  const [year, month, day] = [noon.getUTCFullYear(), noon.getUTCMonth() + 1, noon.getUTCDate()];
  const local = DateTime.fromObject({ year, month, day, hour, minute }, { zone });
  return Math.min(...local.getPossibleOffsets().map((possible) => possible.toMillis()));
}

/**
 * Time zones are slow, and every post of a queue needs the same days. The cache holds two years of a dozen schedules.
 */
const MOST_REMEMBERED = 10_000;
const remembered = createRecent<{ instants?: number[] }>(MOST_REMEMBERED, () => ({}));

/** The posting times of a day, earliest first. */
function instantsOf(noon: CalendarDay, zone: string, schedule: ScheduleRecord[]): number[] {
  const name = weekdays[(noon.getUTCDay() + 6) % 7];
  const times = schedule.filter((row) => row.day === name && !row.paused).flatMap((row) => row.times);
  if (times.length === 0) return [];
  const day = remembered(`${zone} ${noon.getTime()} ${times.join()}`);
  day.instants ??= [...new Set(times.map((time) => instantOf(noon, zone, time)))].toSorted((a, b) => a - b);
  return day.instants;
}

const minuteOf = (instant: number) => Math.floor(instant / MINUTE);

/** The noon of the day on which `instant` falls in the zone. */
function noonOf(instant: number, zone: string): number {
  const { year, month, day } = DateTime.fromMillis(instant, { zone });
  return Date.UTC(year, month - 1, day, 12);
}

/**
 * The free times of a posting schedule in the IANA time zone, earliest first, later than `after` and at most two years
 * later. A time in `taken` blocks the whole minute. All times are Unix milliseconds.
 */
export function* nextFreeTimes(
  schedule: ScheduleRecord[],
  zone: string,
  { after, taken }: { after: number; taken: Iterable<number> },
): Generator<number, void> {
  const takenMinutes = new Set([...taken].map(minuteOf));
  const today = noonOf(after, zone);
  for (let days = 0; days <= HORIZON_DAYS; days += 1) {
    const noon = new Date(today + days * DAY);
    for (const instant of instantsOf(noon, zone, schedule)) {
      if (instant > after && !takenMinutes.has(minuteOf(instant))) yield instant;
    }
  }
}
