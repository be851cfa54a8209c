/**
 * Days and hours as people in other time zones have them, by nothing but the tables of the JavaScript engine: what is
 * rehearsed counts its days with a library.
 */

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const NINE = 9 * 60;

interface LocalTime {
  /** Days since 1970-01-01 on the calendar of the zone. */
  day: number;
  /** Minutes since midnight on its clocks. */
  minutes: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const parts = {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  } as const;
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hourCycle: 'h23', ...parts });
  formats.set(zone, format);
  return format;
}

const known = new Map<string, Map<number, LocalTime>>();
const KNOWN_MAX = 20_000;

function readTime(at: number, zone: string): LocalTime {
  const part: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(at)) part[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = part;
  return { day: Date.UTC(year, month - 1, day) / DAY, minutes: hour * 60 + minute };
}

/** What calendar and clocks show there at a moment. */
export function localTime(at: number, zone: string): LocalTime {
  let there = known.get(zone);
  if (!there) known.set(zone, (there = new Map()));
  const found = there.get(at);
  if (found) return found;
  const made = readTime(at, zone);
  if (there.size >= KNOWN_MAX) there.clear();
  there.set(at, made);
  return made;
}

/** Whether it is nine in the morning or later there. */
export function isAfterNine(at: number, zone: string): boolean {
  return localTime(at, zone).minutes >= NINE;
}

/** The day whose nine o'clock was the last to come there. */
export function dayByNine(at: number, zone: string): number {
  const { day, minutes } = localTime(at, zone);
  return minutes >= NINE ? day : day - 1;
}

/** `YYYY-MM-DD` of a day's number. */
export function nameOfDay(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, 10);
}

/** The first moment of a day on which it is nine there, to the minute. */
export function nineOf(day: number, zone: string): number {
  const noonUtc = day * DAY + DAY / 2;
  const { day: there, minutes } = localTime(noonUtc, zone);
  const offset = (there - day) * DAY + minutes * MINUTE - DAY / 2;
  const guess = day * DAY + NINE * MINUTE - offset;
  // the clocks may have been changed between nine and the noon that was looked at
  const off = localTime(guess, zone);
  return guess + ((day - off.day) * 24 * 60 + NINE - off.minutes) * MINUTE;
}
