import { readMoment } from '../../../shared/moments.ts';

/** The first moment (UTC) of a day that is ahead, as a form sends it; undefined for anything else. */
export function readDay(day: string, now: number): number | undefined {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(day) ? readMoment(day) : undefined;
  return at !== undefined && at > now ? at : undefined;
}
