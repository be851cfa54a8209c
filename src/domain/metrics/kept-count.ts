import type { Clock } from '../../shared/clock.ts';
import { SECOND } from '../../shared/lifetimes.ts';

const KEPT_LEAST = 15 * SECOND;

/** A count that took long is kept longer, so that counting takes at most about two percent of the time. */
const KEPT_FOR_EACH = 50;

interface KeptCount<T> {
  value: Promise<T>;
  until: number;
}

/** Counts at most now and then. Callers during a count share the count; after a failure the next caller counts again. */
export function keepCount<T>(clock: Pick<Clock, 'elapsed'>, count: () => Promise<T>): () => Promise<T> {
  let kept: KeptCount<T> | undefined;
  const begin = (): KeptCount<T> => {
    const begun = clock.elapsed();
    const mine = { value: count(), until: Number.POSITIVE_INFINITY };
    const keep = () => {
      const now = clock.elapsed();
      mine.until = now + Math.max(KEPT_LEAST, (now - begun) * KEPT_FOR_EACH);
    };
    const forget = () => {
      mine.until = 0;
    };
    mine.value.then(keep, forget);
    return mine;
  };
  return () => {
    if (kept === undefined || clock.elapsed() >= kept.until) kept = begin();
    return kept.value;
  };
}
