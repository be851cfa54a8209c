import { dayOf } from '../../shared/moments.ts';
import { type DaysLeft, daysLeftWords } from './days-left.ts';

/** How every page writes times, numbers and sentences. */

const written = (timeStyle: 'short' | 'medium') =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle, timeZone: 'UTC' });

const TIMES = { minutes: written('short'), seconds: written('medium') };
const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const NUMBER = new Intl.NumberFormat('en-GB');

const isoOf = (time: number) => new Date(time).toISOString();

function daysElement(left: DaysLeft): string {
  const moments = `datetime="${isoOf(left.at)}" data-now="${isoOf(left.now)}"`;
  const soon = left.soon === undefined ? '' : ` data-soon="${left.soon}"`;
  return `<time class="days" data-form="${left.form}" ${moments}${soon}>${daysLeftWords(left)}</time>`;
}

/**
 * A time (Unix milliseconds) as an HTML element: `22 Nov 2026, 09:15 UTC`. A script of the page shows the time in the
 * reader's zone, with UTC as the tooltip. `seconds` adds the seconds; `days` gives `22 Nov 2026` in UTC.
 * The days that are left are an element too, which the script counts in the reader's zone.
 */
export function timeElement(
  time: number | DaysLeft,
  precision: keyof typeof TIMES | 'days' = 'minutes',
): string {
  if (typeof time !== 'number') return daysElement(time);
  if (precision === 'days') return `<time datetime="${dayOf(time)}">${DAY.format(time)}</time>`;
  const name = precision === 'seconds' ? 'local seconds' : 'local';
  const words = TIMES[precision].format(time);
  return `<time class="${name}" datetime="${isoOf(time)}">${words} UTC</time>`;
}

/** The script that shows these elements in the reader's zone. */
export const LOCAL_TIMES = '/assets/local-times.js';

/** The script that adds the key of the search box and the buttons to copy. */
export const PAGE_AIDS = '/assets/page-aids.js';

/**
 * A sentence in parts: words, and times (Unix milliseconds) and days that are left, which `sentence.eta` writes as time
 * elements.
 */
export type Sentence = ReadonlyArray<string | number | DaysLeft>;

/** `12,345`. */
export function formatNumber(number: number): string {
  return NUMBER.format(number);
}

/** `1 token`, `1,234 tokens`. */
export function counted(count: number, what: string): string {
  return `${formatNumber(count)} ${what}${count === 1 ? '' : 's'}`;
}
