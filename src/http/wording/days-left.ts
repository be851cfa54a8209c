import { DAY } from '../../shared/lifetimes.ts';

/**
 * How many days off a time is. Pages write it as an element (words.ts), for the script of the page counts the days anew
 * in the zone of the reader: the date beside it is shown in that zone too. Without the script both are in UTC.
 */
export interface DaysLeft {
  at: number;
  /** When the page was made. The clock of a reader may be wrong. */
  now: number;
  form: keyof typeof FORMS;
}

/** `local-times.js` has the same words. */
const FORMS = {
  /** In a sentence: `today`, `tomorrow`, `in 72 days`. */
  in: (days: number) => ['today', 'tomorrow'][days] ?? `in ${days} days`,
  /** For a badge alone: `60 days left`. */
  left: (days: number) => ['less than a day left', '1 day left'][days] ?? `${days} days left`,
};

export function utcDaysUntil(at: number, now: number): number {
  return Math.floor(at / DAY) - Math.floor(now / DAY);
}

/** Undefined once the time has passed. */
export function daysLeft(at: number, now: number, form: DaysLeft['form'] = 'in'): DaysLeft | undefined {
  return at <= now ? undefined : { at, now, form };
}

/** The words in UTC days, for a text that shows its dates in UTC too. */
export function daysLeftWords({ at, now, form }: DaysLeft): string {
  return FORMS[form](utcDaysUntil(at, now));
}
