import { MINUTE } from '../../shared/lifetimes.ts';
import { madeOnce } from '../../shared/memory/made-once.ts';
import type { WorkDeps } from './deps.ts';

type TimedDeps = Pick<WorkDeps, 'clock'>;

/**
 * Makes a function that answers true at most once a minute for each `what`. It keeps a line of the log from coming too often.
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
