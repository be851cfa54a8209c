import { badValue, FIELD_CODES, FieldRefused } from './call-fields.ts';
import { isoOfNamedMonth } from './named-month.ts';

/** `scheduled_at` of the old API: Unix seconds, ISO 8601, or a time with the name of a month. UTC where no offset is given. */

const FIELD = 'scheduled_at';

/** As long as JavaScript writes a time with the name of its zone. No pattern runs on a longer text. */
const LONGEST_TIME = 80;

const SECONDS = /^(\d{1,11})(?:\.\d{1,9})?$/;
const ISO =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/** Rewrites the offsets `+0530`, `+05` and `+05:30` in the form that every parser reads. */
function offsetOf(text: string | undefined): string {
  if (text === undefined || /^(?:z|utc|gmt)$/i.test(text)) return 'Z';
  const digits = text.slice(1).replace(':', '').padEnd(4, '0');
  return `${text[0]}${digits.slice(0, 2)}:${digits.slice(2)}`;
}

/** Whether the month has this day. `Date` would turn a missing day into a day of the next month. */
function isRealDay(day: string): boolean {
  const at = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}

function isoTime(text: string): number {
  const [, day, minute = '00:00', second = '00', fraction = '0', offset] = ISO.exec(text) ?? [];
  if (day === undefined || !isRealDay(day)) return Number.NaN;
  return Date.parse(`${day}T${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}${offsetOf(offset)}`);
}

/** A plus that was sent unescaped arrives as a space. */
const SPACE_FOR_PLUS = /^(.*\d{2}:\d{2}.*) (\d{2}:?\d{2})$/;

/**
 * The whole seconds of a Unix time; undefined for any other text. Many clocks give a fraction (`time.time()`), which the old
 * API, with its whole seconds, has no use for.
 */
export function secondsOfUnixTime(text: string): number | undefined {
  const [, seconds] = SECONDS.exec(text) ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

/** ISO 8601 without its separators: `20261102T083000Z`. */
const BASIC = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})?/i;

function writtenTime(text: string): number {
  const separated = text.replace(BASIC, (_all, ...[year, month, day, hour, minute, second = '00']) =>
    [`${year}-${month}-${day}T${hour}`, minute, second].join(':'),
  );
  const time = isoTime(separated.replace(SPACE_FOR_PLUS, '$1+$2'));
  return Number.isNaN(time) ? isoTime(isoOfNamedMonth(text) ?? '') : time;
}

function timeIn(text: string): number {
  if (text.length > LONGEST_TIME) return Number.NaN;
  const seconds = secondsOfUnixTime(text);
  return seconds === undefined ? writtenTime(text) : seconds * 1000;
}

/**
 * The time that a call names, in Unix milliseconds.
 * @throws {FieldRefused} the time cannot be read, or is not in the future
 */
export function dueTime(text: string, now: number): number {
  const trimmed = text.trim();
  const at = timeIn(trimmed);
  if (!Number.isFinite(at))
    throw badValue(FIELD, 'has to be a Unix time in seconds or an ISO 8601 date and time');
  if (at <= now) throw new FieldRefused(FIELD, FIELD_CODES.past, `The parameter ${FIELD} lies in the past.`);
  return at;
}
