import { DateTime } from 'luxon';
import { createRecent } from '../../recent.ts';
import type { DayOfWeek, ScheduleRecord } from '../directory.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
/** Nothing is planned further ahead than this. */
export const HORIZON_DAYS = 730;

const weekdays: DayOfWeek[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/** A day without a zone, as its noon in UTC. */
type Noon = Date;

/**
 * The instant of HH:MM on a day in a zone. An hour that the clocks skip is passed by as much as they skip; of an hour
 * that comes twice, the first one counts.
 */
function instantOf(noon: Noon, zone: string, time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  const [year, month, day] = [noon.getUTCFullYear(), noon.getUTCMonth() + 1, noon.getUTCDate()];
  const local = DateTime.fromObject({ year, month, day, hour, minute }, { zone });
  return Math.min(...local.getPossibleOffsets().map((possible) => possible.toMillis()));
}

/** Time zones are slow, and every post of a queue asks for the same days: two years of a dozen schedules are kept. */
const MOST_REMEMBERED = 10_000;
const remembered = createRecent<{ instants?: number[] }>(MOST_REMEMBERED, () => ({}));

/** The instants of a day, earliest first. */
function instantsOf(noon: Noon, zone: string, schedule: ScheduleRecord[]): number[] {
  const name = weekdays[(noon.getUTCDay() + 6) % 7];
  const times = schedule.filter((row) => row.day === name && !row.paused).flatMap((row) => row.times);
  if (times.length === 0) return [];
  const day = remembered(`${zone} ${noon.getTime()} ${times.join()}`);
  day.instants ??= [...new Set(times.map((time) => instantOf(noon, zone, time)))].toSorted((a, b) => a - b);
  return day.instants;
}

const minuteOf = (instant: number) => Math.floor(instant / MINUTE);

/** Of the day that it is in the zone. */
function noonOf(instant: number, zone: string): number {
  const { year, month, day } = DateTime.fromMillis(instant, { zone });
  return Date.UTC(year, month - 1, day, 12);
}

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
  const today = noonOf(after, zone);
  for (let days = 0; days <= HORIZON_DAYS; days += 1) {
    const noon = new Date(today + days * DAY);
    for (const instant of instantsOf(noon, zone, schedule)) {
      if (instant > after && !takenMinutes.has(minuteOf(instant))) yield instant;
    }
  }
}
