import type { Clock } from '../../shared/clock.ts';
import { SECOND } from '../../shared/lifetimes.ts';

const KEPT_LEAST = 15 * SECOND;

/** A count that took long is kept longer, so that counting takes at most about two percent of the time. */
const KEPT_FOR_EACH = 50;

/** A count that ended well. */
interface LastCount<T> {
  value: T;
  /** In milliseconds, since it was begun. */
  age: number;
}

export interface KeptCount<T> {
  /** Counts at most now and then. Callers during a count share the count; after a failure the next caller counts again. */
  count: () => Promise<T>;
  /** The last count that ended well, however old; undefined before the first. */
  last: () => LastCount<T> | undefined;
}

/** Keeps a count between two readings. */
export function keepCount<T>(clock: Pick<Clock, 'elapsed'>, count: () => Promise<T>): KeptCount<T> {
  let kept: { value: Promise<T>; until: number } | undefined;
  let last: { value: T; begun: number } | undefined;
  const begin = () => {
    const begun = clock.elapsed();
    const mine = { value: count(), until: Number.POSITIVE_INFINITY };
    const keep = (value: T) => {
      last = { value, begun };
      const now = clock.elapsed();
      mine.until = now + Math.max(KEPT_LEAST, (now - begun) * KEPT_FOR_EACH);
    };
    const forget = () => {
      mine.until = 0;
    };
    mine.value.then(keep, forget);
    return mine;
  };
  return {
    count: () => {
      if (kept === undefined || clock.elapsed() >= kept.until) kept = begin();
      return kept.value;
    },
    last: () => last && { value: last.value, age: clock.elapsed() - last.begun },
  };
}
