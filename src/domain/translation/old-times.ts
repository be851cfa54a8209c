import { DateTime } from 'luxon';

/** Times as the old API wrote them: whole seconds, and words in the time zone of the profile. */

/** Unix seconds of an ISO 8601 time; undefined for none. */
export function secondsOf(iso: string | null | undefined): number | undefined {
  const time = Date.parse(iso ?? '');
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}

const ENDINGS: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' };
const ordinals = new Intl.PluralRules('en', { type: 'ordinal' });

const ordinal = (number: number) => `${number}${ENDINGS[ordinals.select(number)] ?? 'th'}`;

/** The recorded answers name two days by their distance and every other day by its date. */
function dayWords(due: DateTime, now: DateTime): string {
  if (due.hasSame(now, 'day')) return 'Today';
  if (due.hasSame(now.plus({ days: 1 }), 'day')) return 'Tomorrow';
  return `${due.toFormat('cccc')} ${ordinal(due.day)} ${due.toFormat('LLLL')}`;
}

export interface DueWords {
  /** `Today`, `Tomorrow`, or such as `Thursday 3rd March`. */
  day: string;
  /** Such as `6:13 am`. */
  due_time: string;
}

/** When something is due (Unix seconds) as people in a time zone say it; undefined in a zone that nobody knows. */
export function dueWords(due: number, { zone, now }: { zone: string; now: number }): DueWords | undefined {
  const options = { zone, locale: 'en-US' } as const;
  const local = DateTime.fromSeconds(due, options);
  if (!local.isValid) return undefined;
  return {
    day: dayWords(local, DateTime.fromMillis(now, options)),
    due_time: local.toFormat('h:mm a').toLowerCase(),
  };
}
