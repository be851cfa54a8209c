import { LRUCache } from 'lru-cache';
import { IANAZone } from 'luxon';
import { DAY, MINUTE } from '../../shared/lifetimes.ts';
import { dayOf } from '../../shared/moments.ts';

/** The days of people's own calendars, and the mornings for which mails wait. */

const HOUR = 60 * MINUTE;

/** Mails wait for this time of day in the person's zone. */
const MORNING = 9 * HOUR;

const UTC = IANAZone.create('UTC');

/** A cache: many people share a zone, a moment and a few dates, and the system calendar is slow. */
const offsets = new LRUCache<string, Map<number, number>>({ max: 1000 });

/** The most moments that are kept of one zone. */
const MOMENTS_KEPT = 100;

/** How far local time is ahead of UTC, in milliseconds. */
function offsetOf(at: number, zone: string): number {
  const ofZone = offsets.get(zone) ?? new Map<number, number>();
  const seen = ofZone.get(at);
  if (seen !== undefined) return seen;
  const known = IANAZone.create(zone);
  const offset = (known.isValid ? known : UTC).offset(at) * MINUTE;
  if (ofZone.size >= MOMENTS_KEPT) ofZone.clear();
  offsets.set(zone, ofZone.set(at, offset));
  return offset;
}

/** The texts of days, which are few: counted from 1970-01-01. */
const dayTexts = new LRUCache<number, string>({ max: 1000, memoMethod: (day) => dayOf(day * DAY) });

/** The day of the local calendar at a moment in Unix milliseconds, counted from 1970-01-01. */
export const dayNumber = (at: number, zone: string) => Math.floor((at + offsetOf(at, zone)) / DAY);

/** The latest day whose nine o'clock has come. */
export const morningNumber = (at: number, zone: string) =>
  Math.floor((at + offsetOf(at, zone) - MORNING) / DAY);

/** Whether it is nine in the morning or later there. */
export const isMorning = (at: number, zone: string) => morningNumber(at, zone) === dayNumber(at, zone);

/** The local day (`YYYY-MM-DD`) at a moment in Unix milliseconds; in UTC when the IANA zone is unknown. */
export function localDay(now: number, zone: string): string {
  return dayTexts.memo(dayNumber(now, zone));
}

/** The next nine o'clock in an IANA zone after a moment, both in Unix milliseconds; in UTC when the zone is unknown. */
export function nextMorning(now: number, zone: string): number {
  const local = (morningNumber(now, zone) + 1) * DAY + MORNING;
  // The clocks may change before then.
  return local - offsetOf(local - offsetOf(now, zone), zone);
}
