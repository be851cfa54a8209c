import { DateTime } from 'luxon';

/** Times in the form of the old API: whole seconds, and words in the time zone of the profile. */

/** Unix seconds of an ISO 8601 time; undefined for no time. */
export function secondsOf(iso: string | null | undefined): number | undefined {
  const time = Date.parse(iso ?? '');
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}

const ENDINGS: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' };
const ordinals = new Intl.PluralRules('en', { type: 'ordinal' });

const ordinal = (number: number) => `${number}${ENDINGS[ordinals.select(number)] ?? 'th'}`;

/** In the recorded answers, two days have the names `Today` and `Tomorrow`, and every other day has a date. */
function dayWords(due: DateTime, now: DateTime): string {
  if (due.hasSame(now, 'day')) return 'Today';
  if (due.hasSame(now.plus({ days: 1 }), 'day')) return 'Tomorrow';
  return `${due.toFormat('cccc')} ${ordinal(due.day)} ${due.toFormat('LLLL')}`;
}

export interface DueWords {
  /** `Today`, `Tomorrow`, or for example `Thursday 3rd March`. */
  day: string;
  /** For example `6:13 am`. */
  due_time: string;
}

/** A due time (Unix seconds) in the words of people in a time zone; undefined in an unknown time zone. */
export function dueWords(due: number, { zone, now }: { zone: string; now: number }): DueWords | undefined {
  const options = { zone, locale: 'en-US' } as const;
  const local = DateTime.fromSeconds(due, options);
  if (!local.isValid) return undefined;
  return {
    day: dayWords(local, DateTime.fromMillis(now, options)),
    due_time: local.toFormat('h:mm a').toLowerCase(),
  };
}
