import type { Milestone } from '../../../domain/lifecycle/lifecycle.ts';

/** Whether an extension gives its app more time, in words: a pure function. */

interface Extension {
  milestone: Milestone;
  until: number;
  /** The date for all apps; undefined where no date is set. */
  ofAll: number | undefined;
  /** Whether the milestone changes how any call is answered. */
  changesCalls: boolean;
}

/** Why an extension gives the app no more time; undefined where the app gets more time. */
export function inVainWords({ milestone, until, ofAll, changesCalls }: Extension): string | undefined {
  if (!changesCalls) return `The ${milestone} changes no call here, so it puts nothing off.`;
  if (ofAll === undefined) return `No ${milestone} is set for all, so it puts nothing off.`;
  return until <= ofAll ? 'It ends before the date of all, so it gives no more time.' : undefined;
}
