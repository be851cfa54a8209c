import { readMoment } from '../../../shared/moments.ts';

/** The first moment (UTC) of a future day from a form; undefined for any other text. */
export function readDay(day: string, now: number): number | undefined {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(day) ? readMoment(day) : undefined;
  return at !== undefined && at > now ? at : undefined;
}
