import { DateTime } from 'luxon';

const MOMENT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Describes for people the texts that `readMoment` accepts. */
export const MOMENT_FORM =
  'must be a date such as 2027-02-01, or a time with its zone such as 2027-02-01T09:00:00Z, from the year 2000 on';

/** No date that a person sets is older. An earlier date is a slip of the pen. */
const EARLIEST = Date.UTC(2000, 0, 1);

/**
 * A moment that a person wrote, in Unix milliseconds. A date alone means its first moment in UTC. Undefined for other
 * texts.
 */
export function readMoment(text: string): number | undefined {
  if (!MOMENT.test(text)) return undefined;
  const moment = DateTime.fromISO(text, { zone: 'utc' });
  return moment.isValid && moment.toMillis() >= EARLIEST ? moment.toMillis() : undefined;
}

/** A moment for a sentence, such as `2027-02-01T09:00:00Z`. */
export function momentText(at: number): string {
  return isoMoment(at).replace('.000Z', 'Z');
}

/** A moment for programs, always with milliseconds. */
export function isoMoment(at: number): string {
  return new Date(at).toISOString();
}

/** The day of a moment in UTC, `YYYY-MM-DD`. */
export function dayOf(at: number): string {
  return isoMoment(at).slice(0, 10);
}
