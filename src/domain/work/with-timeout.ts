import { CALLER_WAIT } from '../../shared/lifetimes.ts';
import { settleWith } from '../../shared/and-then.ts';
import { Unavailable } from '../../upstream/outcomes.ts';

/**
 * Waits for work as long as a caller of the old API may wait (ten seconds, docs/old-api.md Q18). `limit` is in
 * milliseconds. The work itself continues.
 * @throws {Unavailable} when the work takes longer
 */
export function withTimeout<T>(work: Promise<T>, limit = CALLER_WAIT): Promise<T> {
  return new Promise((resolve, reject) => {
    // Made only when it is needed: an error with its stack costs more than a cached answer.
    const giveUp = () =>
      reject(new Unavailable('the new API or the database takes too long', { retryAfter: 1000 }));
    const timer = setTimeout(giveUp, limit);
    settleWith(work, { resolve, reject }, () => clearTimeout(timer));
  });
}
