import { changesCalls, type Milestone } from '../../../domain/lifecycle/lifecycle.ts';

/** The dates on pages. */

const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

/** A time for people: `22 November 2026 at 09:15 UTC`. */
export function timeWords(time: number): string {
  return `${DATE.format(time)} UTC`;
}

const REHEARSED: Record<Milestone, string> = {
  retirement: 'Tokens that are not connected are refused.',
  sunset: 'Every call to the old API is refused.',
};

/** What a short test outage does while it lasts. Without an old API a test of the retirement takes nothing away. */
export function rehearsedWords(milestone: Milestone, hasBackend: boolean): string {
  if (changesCalls(milestone, hasBackend)) return REHEARSED[milestone];
  return 'No call changes: what it would refuse is refused at any time.';
}

const TESTED: Record<Milestone, string> = {
  retirement: 'the retirement',
  sunset: 'the end of the old API',
};

/**
 * What a short test outage was for that is over, or was taken back. Not which calls it refused: an old API that is gone
 * since may have answered then.
 */
export function rehearsedThen(milestone: Milestone, wasHeld: boolean): string {
  return `It ${wasHeld ? 'was' : 'was to be'} a test of ${TESTED[milestone]}.`;
}
