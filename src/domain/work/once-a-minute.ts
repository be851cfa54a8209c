import { MINUTE } from '../../shared/lifetimes.ts';
import { madeOnce } from '../../shared/memory/made-once.ts';
import type { WorkDeps } from './deps.ts';

type TimedDeps = Pick<WorkDeps, 'clock'>;

/**
 * Makes a function that says whether something is due that this process does once a minute at most, for each `what`, such as a
 * line of the log.
 */
export function createOnceAMinute(): (context: TimedDeps, what: string) => boolean {
  const memories = new WeakMap<TimedDeps, Map<string, number>>();
  return (context, what) => {
    const done = madeOnce(memories, context, () => new Map<string, number>());
    const now = context.clock.elapsed();
    if (now - (done.get(what) ?? Number.NEGATIVE_INFINITY) < MINUTE) return false;
    done.set(what, now);
    return true;
  };
}
