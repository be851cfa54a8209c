import { DateTime } from 'luxon';
import type { DayOfWeek, ScheduleRecord } from '../directory.ts';

const MINUTE = 60_000;
/** Nothing is planned further ahead than this. */
export const HORIZON_DAYS = 730;

const weekdays: DayOfWeek[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/**
 * The instant of HH:MM on a day in its zone. An hour that the clocks skip is passed by as much as they skip; of an hour
 * that comes twice, the first one counts.
 */
function instantOf(day: DateTime, time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  const { year, month, day: date } = day;
  const local = DateTime.fromObject({ year, month, day: date, hour, minute }, { zone: day.zone });
  return Math.min(...local.getPossibleOffsets().map((possible) => possible.toMillis()));
}

function instantsOf(day: DateTime, schedule: ScheduleRecord[]): number[] {
  const name = weekdays[day.weekday - 1];
  const rows = schedule.filter((row) => row.day === name && !row.paused);
  const instants = rows.flatMap(({ times }) => times.map((time) => instantOf(day, time)));
  return [...new Set(instants)].toSorted((a, b) => a - b);
}

const minuteOf = (instant: number) => Math.floor(instant / MINUTE);

/**
 * The free times of a posting schedule in its IANA time zone, earliest first, later than `after` and up to two years
 * ahead of it; `taken` times take the whole minute they lie in. All in Unix milliseconds.
 */
export function* nextFreeTimes(
  schedule: ScheduleRecord[],
  zone: string,
  { after, taken }: { after: number; taken: Iterable<number> },
): Generator<number, void> {
  const takenMinutes = new Set([...taken].map(minuteOf));
  // From noon to noon: every day has one, whatever its clocks do at midnight.
  const today = DateTime.fromMillis(after, { zone }).set({ hour: 12, minute: 0, second: 0, millisecond: 0 });
  for (let days = 0; days <= HORIZON_DAYS; days += 1) {
    for (const instant of instantsOf(today.plus({ days }), schedule)) {
      if (instant > after && !takenMinutes.has(minuteOf(instant))) yield instant;
    }
  }
}
