/** Words that several pages share. */

const DAY = 24 * 60 * 60 * 1000;
const STEPS = [
  { unit: 'day', length: DAY },
  { unit: 'hour', length: DAY / 24 },
  { unit: 'minute', length: 60_000 },
] as const;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const dates = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** `12 November 2026`, in UTC: everybody reads the same date. */
export const dateOf = (iso: string): string => dates.format(new Date(iso));

/** `3 hours ago` for a time in ISO 8601. A date when the time is over 30 days ago, `never` for null. */
export function agoOf(iso: string | null, now = Date.now()): string {
  if (iso === null) return 'never';
  const passed = now - Date.parse(iso);
  if (passed > 30 * DAY) return dateOf(iso);
  const step = STEPS.find(({ length }) => passed >= length);
  return step ? relative.format(-Math.floor(passed / step.length), step.unit) : 'less than a minute ago';
}
