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
  /** From this many days on, a badge around the words stands out. Undefined where none does. */
  soon?: number;
}

/** `local-times.js` has the same words. */
const FORMS = {
  /** In a sentence: `today`, `tomorrow`, `in 72 days`. */
  in: (days: number) => ['today', 'tomorrow'][days] ?? `in ${days} days`,
  /** For a badge alone: `60 days left`. */
  left: (days: number) => ['less than a day left', '1 day left'][days] ?? `${days} days left`,
};

function utcDaysUntil(at: number, now: number): number {
  return Math.floor(at / DAY) - Math.floor(now / DAY);
}

/** Undefined once the time has passed. */
export function daysLeft(at: number, now: number, form: DaysLeft['form'] = 'in'): DaysLeft | undefined {
  return at <= now ? undefined : { at, now, form };
}

/** From this many days before a date on, the remaining days stand out. */
const SOON = 30;

/** Whether a time is ahead and near. `local-times.js` judges anew by the days that it counts. */
export function isSoon(at: number, now: number): boolean {
  return at > now && utcDaysUntil(at, now) <= SOON;
}

/** The days to a date whose badge stands out where it is near, by the same count as its words. Undefined once it has passed. */
export function daysToDate(at: number, now: number, form?: DaysLeft['form']): DaysLeft | undefined {
  const left = daysLeft(at, now, form);
  return left && { ...left, soon: SOON };
}

/** The words in UTC days, for a text that shows its dates in UTC too. */
export function daysLeftWords({ at, now, form }: DaysLeft): string {
  return FORMS[form](utcDaysUntil(at, now));
}
